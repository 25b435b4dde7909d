import { fork } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { locateUnshare, startHelper } from '../../../src/containment/egress/helper.js';
import { Names } from '../../../src/containment/egress/names.js';
import { Refusals } from '../../../src/containment/egress/refusals.js';
import { serveNames } from '../../../src/containment/egress/resolver.js';
import { workerFile } from '../../../src/wasm/worker-file.js';
import { scriptInside } from './inside.js';

test.runIf(process.platform === 'linux')(
  'a resolver of the host answers from the address that was asked, on loopback and by IPv6 too',
  async () => {
    const unshare = locateUnshare();
    const handed = await startHelper(unshare!, {
      ports: [],
      loopbackResolvers: ['127.0.0.53'],
      resolvers6: ['fd00::53'],
    });
    if ('refused' in handed) throw new Error(handed.refused);
    serveNames(handed.resolvers, new Names(['api.example']), new Refusals(() => {}));
    const network = { usernsFd: handed.usernsFd, netnsFd: handed.netnsFd, counts: {} as never, close: async () => {} };
    const answers = await scriptInside<string[]>(
      network,
      // A connected socket, as resolver libraries use it: an answer from another address would be dropped by the kernel.
      `import { createSocket } from 'node:dgram';
       const name = [3, ...Buffer.from('api'), 7, ...Buffer.from('example'), 0];
       const query = Buffer.from([0, 1, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, ...name, 0, 1, 0, 1]);
       const ask = (address) => new Promise((resolve) => {
         const socket = createSocket(address.includes(':') ? 'udp6' : 'udp4');
         socket.connect(53, address, () => socket.send(query));
         socket.on('message', (reply) => { socket.close(); resolve(reply.subarray(-4).join('.')); });
       });
       const out = [];
       for (const address of ['127.0.0.1', '127.0.0.53', '10.255.255.53', '::1', 'fd00::53']) out.push(await ask(address));
       console.log(JSON.stringify(out));`,
    );
    expect(answers).toEqual(Array(5).fill('198.18.0.1'));
    for (const fd of [handed.usernsFd, handed.netnsFd]) closeSync(fd);
    await Promise.all(handed.resolvers.map((socket) => new Promise<void>((done) => socket.close(() => done()))));
  },
);

test('without koffi the helper says so, before it touches any network', async () => {
  const root = mkdtempSync(join(tmpdir(), 'mur-helper-'));
  const built = fileURLToPath(workerFile('network-helper'));
  writeFileSync(join(root, 'package.json'), '{"type":"module"}');
  for (const name of ['network-helper.js', 'netlink.js']) copyFileSync(join(dirname(built), name), join(root, name));
  const request = JSON.stringify({ ports: [], loopbackResolvers: [], resolvers6: [] });
  const child = fork(join(root, 'network-helper.js'), [request], { env: {}, execArgv: [] });
  const [message] = await once(child, 'message');
  expect(message).toEqual({ type: 'failed', reason: expect.stringMatching(/^koffi, an optional dependency/) });
  if (child.exitCode === null) await once(child, 'exit');
  rmSync(root, { recursive: true, force: true });
});
