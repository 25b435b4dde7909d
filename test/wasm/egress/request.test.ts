import { type AddressInfo, createServer } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runGuest } from './guest.js';
import { listen, selfSigned, type TestServer } from './server.js';

let server: TestServer;
beforeEach(async () => {
  server = await listen((request, response) => {
    if (request.url?.startsWith('/redirect')) {
      response.writeHead(302, { location: 'http://elsewhere.example/' }).end();
      return;
    }
    request.resume().once('end', () => {
      response.setHeader('x-answer', ['one', 'two']);
      response.setHeader('keep-alive', 'timeout=5');
      response.end(`${request.method} ${request.url}`);
    });
  });
});
afterEach(async () => {
  await server[Symbol.asyncDispose]();
});

describe('a guest request to an allowed host', () => {
  it('arrives with its method, path, query, headers and body, and brings the answer back', async () => {
    const { value } = await runGuest(
      { allow: ['127.0.0.1'] },
      (kit) =>
        kit.fetch({
          method: 'POST',
          url: `${kit.input.url}/v1/echo?q=1%20x`,
          headers: [
            ['X-Thing', 'a'],
            ['x-thing', 'b'],
            ['content-type', 'text/plain'],
          ],
          body: ['hello ', 'world'],
        }),
      { url: server.url },
    );
    expect(value).toMatchObject({ status: 200, body: 'POST /v1/echo?q=1%20x' });
    expect(value.headers).toContainEqual(['x-answer', 'one']);
    expect(value.headers).toContainEqual(['x-answer', 'two']);
    const names = value.headers!.map(([name]) => name);
    for (const dropped of ['connection', 'keep-alive', 'transfer-encoding']) expect(names).not.toContain(dropped);
    const [seen] = server.arrived;
    expect(seen).toMatchObject({ method: 'POST', url: '/v1/echo?q=1%20x', body: 'hello world' });
    expect(seen!.headers).toMatchObject({
      host: `127.0.0.1:${server.port}`,
      'x-thing': 'a, b',
      'content-length': '11',
    });
    expect(seen!.headers['transfer-encoding']).toBeUndefined();
  });

  it('goes out chunked when its body outgrows what is held, and arrives whole', async () => {
    const { value } = await runGuest(
      { allow: ['127.0.0.1'] },
      (kit) =>
        kit.fetch({ method: 'PUT', url: kit.input.url!, body: Array.from({ length: 50 }, () => 'x'.repeat(60_000)) }),
      { url: server.url },
    );
    expect(value.status).toBe(200);
    expect(server.arrived[0]!.body).toHaveLength(3_000_000);
    expect(server.arrived[0]!.headers['transfer-encoding']).toBe('chunked');
  });

  it('announces an empty body only where a body is expected', async () => {
    await runGuest(
      { allow: ['127.0.0.1'] },
      (kit) => {
        kit.fetch({ method: 'GET', url: kit.input.url!, body: [] });
        kit.fetch({ method: 'POST', url: kit.input.url!, body: [] });
        kit.fetch({ method: 'POST', url: kit.input.url! });
        kit.fetch({ method: 'DELETE', url: kit.input.url!, body: ['gone'] });
      },
      { url: server.url },
    );
    const framing = server.arrived.map(({ method, headers, body }) => [
      method,
      headers['content-length'],
      headers['transfer-encoding'],
      body,
    ]);
    expect(framing).toEqual([
      ['GET', undefined, undefined, ''],
      ['POST', '0', undefined, ''],
      ['POST', '0', undefined, ''],
      ['DELETE', '4', undefined, 'gone'],
    ]);
  });

  it('does not carry what belongs to the connection or to the runtime', async () => {
    const { value } = await runGuest(
      { allow: ['127.0.0.1'] },
      (kit) => {
        const { Fields } = kit.imports['wasi:http/types'];
        const tag = (name: string) => {
          try {
            new Fields().append(name, kit.bytes('x'));
            return 'accepted';
          } catch (thrown) {
            return (thrown as { tag: string }).tag;
          }
        };
        const names = [
          'Host',
          'connection',
          'keep-alive',
          'proxy-connection',
          'transfer-encoding',
          'Upgrade',
          'a b',
          'ok',
        ];
        const bad = (() => {
          try {
            Fields.fromList([['x', kit.bytes('a\r\nhost: evil')]]);
            return 'accepted';
          } catch (thrown) {
            return (thrown as { tag: string }).tag;
          }
        })();
        kit.fetch({
          url: kit.input.url!,
          headers: [
            ['X-Murmur-Session', 'forged'],
            ['te', 'trailers'],
            ['x-kept', 'yes'],
          ],
        });
        return [...names.map(tag), bad];
      },
      { url: server.url },
    );
    expect(value).toEqual([
      ...Array.from({ length: 6 }, () => 'forbidden'),
      'invalid-syntax',
      'accepted',
      'invalid-syntax',
    ]);
    expect(server.arrived[0]!.rawHeaders.map((text) => text.toLowerCase())).toEqual([
      'host',
      `127.0.0.1:${server.port}`,
      'x-kept',
      'yes',
      'connection',
      'close',
    ]);
  });

  it('gets a redirect back as it is; nothing follows it, and the session hears of it (S12)', async () => {
    const { value, events } = await runGuest(
      { allow: ['127.0.0.1'] },
      (kit) => kit.fetch({ url: `${kit.input.url}/redirect` }),
      {
        url: server.url,
      },
    );
    expect(value.status).toBe(302);
    expect(value.headers).toContainEqual(['location', 'http://elsewhere.example/']);
    expect(server.connections).toBe(1);
    expect(events).toEqual([{ type: 'egress.redirected', target: `127.0.0.1:${server.port}`, status: 302 }]);
  });

  it('uses no proxy from the environment', async () => {
    process.env.HTTP_PROXY = process.env.http_proxy = 'http://127.0.0.1:1';
    process.env.NODE_USE_ENV_PROXY = '1';
    try {
      const { value } = await runGuest({ allow: ['127.0.0.1'] }, (kit) => kit.fetch({ url: kit.input.url! }), {
        url: server.url,
      });
      expect(value.status).toBe(200);
    } finally {
      for (const name of ['HTTP_PROXY', 'http_proxy', 'NODE_USE_ENV_PROXY']) delete process.env[name];
    }
  });

  it('shares no connection with the request before it', async () => {
    await runGuest({ allow: ['127.0.0.1'] }, (kit) => [1, 2, 3].map(() => kit.fetch({ url: kit.input.url! }).status), {
      url: server.url,
    });
    expect(server.connections).toBe(3);
    await server.drained();
  });
});

describe('a guest request that must not leave', () => {
  const denied = (allow: readonly string[], url: string) =>
    runGuest({ allow }, (kit) => kit.fetch({ url: kit.input.url! }), { url });

  it('is HTTP-request-denied before any connection, for another host, port or scheme, and reported', async () => {
    const cases: [string[], string, string][] = [
      [[], server.url, `127.0.0.1:${server.port}`],
      [['example.com'], server.url, `127.0.0.1:${server.port}`],
      [['127.0.0.1:1'], server.url, `127.0.0.1:${server.port}`],
      [[`https://127.0.0.1:${server.port}`], server.url, `127.0.0.1:${server.port}`],
      [['localhost'], server.url, `127.0.0.1:${server.port}`],
      [['127.0.0.1'], `http://user:pw@127.0.0.1:${server.port}/`, `127.0.0.1:${server.port}`],
      [['127.0.0.1'], `ftp://127.0.0.1:${server.port}/`, `127.0.0.1:${server.port}`],
    ];
    for (const [allow, url, target] of cases) {
      const { value, events } = await denied(allow, url);
      expect(value, url).toEqual({ error: 'HTTP-request-denied' });
      expect(events).toEqual([{ type: 'egress.denied', reason: 'not-allowed', target }]);
    }
    expect(server.connections).toBe(0);
  });

  it('may be no tunnel, and no made-up request line', async () => {
    const { value } = await runGuest(
      { allow: ['127.0.0.1'] },
      (kit) => {
        const { OutgoingRequest, Fields } = kit.imports['wasi:http/types'];
        const refuses = (
          act: (request: {
            setMethod(m: unknown): void;
            setPathWithQuery(p: string): void;
            setAuthority(a: string): void;
          }) => void,
        ) => {
          try {
            act(new OutgoingRequest(new Fields()));
            return false;
          } catch (thrown) {
            return thrown === undefined;
          }
        };
        return [
          kit.fetch({ method: 'CONNECT', url: kit.input.url! }).error,
          refuses((request) => request.setMethod({ tag: 'other', val: 'GET / HTTP/1.1\r\nx:' })),
          refuses((request) => request.setPathWithQuery('/a b')),
          refuses((request) => request.setPathWithQuery('/a\r\nx: y')),
          refuses((request) => request.setPathWithQuery('/a#f')),
          refuses((request) => request.setAuthority('h\r\nx')),
          kit.fetch({ method: 'PURGE', url: kit.input.url! }).body,
        ];
      },
      { url: server.url },
    );
    expect(value.slice(0, 6)).toEqual(['HTTP-request-method-invalid', true, true, true, true, true]);
    expect(value[6]).toBe('PURGE /');
  });

  it('is refused past the number of requests one call may have open', async () => {
    const { value } = await runGuest(
      { allow: ['127.0.0.1'] },
      (kit) => {
        const futures = [];
        try {
          for (let count = 0; count < 100; count += 1)
            futures.push(kit.start({ method: 'POST', url: kit.input.url!, body: [] }));
        } catch (thrown) {
          return [futures.length, (thrown as { tag: string }).tag];
        }
        return [];
      },
      { url: server.url },
    );
    expect(value).toEqual([64, 'connection-limit-reached']);
  });
});

describe('a name', () => {
  const resolveTo =
    (...addresses: string[]) =>
    async () =>
      addresses.map((address) => ({ address, family: address.includes(':') ? (6 as const) : (4 as const) }));

  it.each([
    '127.0.0.1',
    '169.254.169.254',
    '10.0.0.1',
    '::1',
    '::ffff:10.0.0.1',
    '::ffff:127.0.0.1',
    '64:ff9b::7f00:1',
    'fe80::1',
  ])('that resolves to %s is refused as a prohibited address (S20)', async (address) => {
    const { value, events } = await runGuest(
      { allow: ['rebind.example'], resolve: resolveTo(address) },
      (kit) => kit.fetch({ url: `http://rebind.example:${kit.input.port}/` }),
      { port: String(server.port) },
    );
    expect(value).toEqual({ error: 'destination-IP-prohibited' });
    expect(events).toEqual([
      { type: 'egress.denied', reason: 'private-address', target: `rebind.example:${server.port}` },
    ]);
    expect(server.connections).toBe(0);
  });

  it.each([
    ['a rule in URL form with a port', { allow: ['http://models.lan:PORT'] }],
    ['a name the operator opted out', { allow: ['models.lan'], privateNames: ['models.lan'] }],
    ['one of several rules', { allow: ['models.lan', 'http://models.lan:PORT'] }],
  ])('may resolve to a private address by %s (S20)', async (_, wish) => {
    const allow = wish.allow.map((entry) => entry.replace('PORT', String(server.port)));
    const { value } = await runGuest(
      { ...wish, allow, resolve: resolveTo('127.0.0.1') },
      (kit) => kit.fetch({ url: `http://models.lan:${kit.input.port}/` }),
      { port: String(server.port) },
    );
    expect(value.status).toBe(200);
    expect(server.arrived[0]!.headers.host).toBe(`models.lan:${server.port}`);
  });

  it('is connected at the very address that was checked: it is resolved once', async () => {
    let asked = 0;
    const flip = async () => {
      asked += 1;
      return [{ address: asked === 1 ? '192.0.2.1' : '127.0.0.1', family: 4 as const }];
    };
    const { value } = await runGuest(
      { allow: ['rebind.example'], resolve: flip, connectTimeoutMs: 200 },
      (kit) => kit.fetch({ url: `http://rebind.example:${kit.input.port}/` }),
      { port: String(server.port) },
    );
    expect(value.error).toBeDefined();
    expect(asked).toBe(1);
    expect(server.connections).toBe(0);
  });

  it('loses its private addresses and keeps its public ones', async () => {
    const { value } = await runGuest(
      { allow: ['mixed.example'], resolve: resolveTo('127.0.0.1', '192.0.2.1'), connectTimeoutMs: 200 },
      (kit) => kit.fetch({ url: `http://mixed.example:${kit.input.port}/` }),
      { port: String(server.port) },
    );
    expect(value.error).not.toBe('destination-IP-prohibited');
    expect(server.connections).toBe(0);
  });

  it('that does not resolve is a DNS error; one that never answers is a DNS timeout', async () => {
    const missing = () => Promise.reject(Object.assign(new Error('no'), { code: 'ENOTFOUND' }));
    const silent = () => new Promise<never>(() => {});
    const go = (resolve: () => Promise<never>) =>
      runGuest({ allow: ['x.example'], resolve, connectTimeoutMs: 50 }, (kit) =>
        kit.fetch({ url: 'http://x.example/' }),
      );
    expect((await go(missing)).value).toEqual({ error: 'DNS-error' });
    expect((await go(silent)).value).toEqual({ error: 'DNS-timeout' });
  });
});

describe('a connection that fails', () => {
  it('is connection-refused when nobody listens', async () => {
    const closed = await listen(() => {});
    await closed[Symbol.asyncDispose]();
    const { value } = await runGuest({ allow: ['127.0.0.1'] }, (kit) => kit.fetch({ url: kit.input.url! }), {
      url: closed.url,
    });
    expect(value).toEqual({ error: 'connection-refused' });
  });

  it('is a certificate error when nobody vouches for the server, also when the environment says not to care', async () => {
    await using tls = await listen((_, response) => response.end('secret'), selfSigned());
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
    try {
      const { value } = await runGuest({ allow: ['127.0.0.1'] }, (kit) => kit.fetch({ url: kit.input.url! }), {
        url: tls.url,
      });
      expect(value).toEqual({ error: 'TLS-certificate-error' });
    } finally {
      delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
    }
    expect(tls.arrived).toEqual([]);
  });

  it('is a TLS error when the server speaks something else', async () => {
    const plain = createServer((socket) => {
      socket.on('error', () => {}).resume();
      socket.end('HTTP/1.1 400 Bad Request\r\n\r\n');
    });
    await new Promise<void>((resolve) => plain.listen(0, '127.0.0.1', resolve));
    const url = `https://127.0.0.1:${(plain.address() as AddressInfo).port}/`;
    const { value } = await runGuest({ allow: ['127.0.0.1'] }, (kit) => kit.fetch({ url: kit.input.url! }), { url });
    expect(value).toEqual({ error: 'TLS-protocol-error' });
    await new Promise((resolve) => plain.close(resolve));
  });

  it('is connection-terminated when the server hangs up without an answer', async () => {
    await using rude = await listen((request) => request.socket.destroy());
    const { value } = await runGuest({ allow: ['127.0.0.1'] }, (kit) => kit.fetch({ url: kit.input.url! }), {
      url: rude.url,
    });
    expect(value).toEqual({ error: 'connection-terminated' });
  });

  it('times out on the first byte and between bytes, as the guest asked, within the cap', async () => {
    await using slow = await listen((request, response) => {
      if (request.url === '/half') response.write('half');
    });
    const { value } = await runGuest(
      { allow: ['127.0.0.1'], firstByteTimeoutMs: 60 },
      (kit) => [
        kit.fetch({ url: `${kit.input.url}/`, timeoutsMs: { firstByte: 30 } }),
        kit.fetch({ url: `${kit.input.url}/`, timeoutsMs: { firstByte: 60_000 } }),
        kit.fetch({ url: `${kit.input.url}/half`, timeoutsMs: { between: 50 } }),
      ],
      { url: slow.url },
    );
    expect(value[0]).toEqual({ error: 'HTTP-response-timeout' });
    expect(value[1]).toEqual({ error: 'HTTP-response-timeout' });
    expect(value[2]).toMatchObject({ status: 200, body: 'half', error: 'connection-read-timeout' });
  });
});
