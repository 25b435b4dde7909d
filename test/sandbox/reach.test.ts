import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { probeHost } from '../../src/containment/index.js';
import { place } from './mur.js';

const host = await probeHost();
const hasAll = host.hostTier === 'sealed' && host.network.usable;

/** A unix socket of the machine that counts who connects. */
async function listen(path: string): Promise<{ readonly connections: () => number }> {
  let count = 0;
  const server = createServer((socket) => {
    count += 1;
    socket.end();
  });
  await new Promise<void>((listening) => server.listen(path, listening));
  onTestFinished(() => {
    server.close();
  });
  return { connections: () => count };
}

/** What connecting to each address comes to, in one process. */
const knock = (addresses: readonly string[]) => `
import socket
for address in ${JSON.stringify(addresses)}:
    try:
        s = socket.socket(socket.AF_UNIX); s.connect(address.replace('@', chr(0))); print('open')
    except OSError as error:
        print(error.strerror)`;

/** cases/reports row 72. */
describe.runIf(hasAll)('what a box reaches of the machine by ways that other sandboxes left open', () => {
  test('unix sockets, those of /run and of the session bus among them, by path and abstract', async () => {
    const it = place();
    const run = mkdtempSync(process.geteuid!() === 0 ? '/run/mur-' : '/var/tmp/mur-run-');
    onTestFinished(() => rmSync(run, { recursive: true, force: true }));
    const addresses = [join(it.work, 'own'), join(run, 'bus'), `\0mur-${process.pid}`];
    const servers = await Promise.all(addresses.map(listen));
    const script = knock(addresses.map((address) => address.replace('\0', '@')));
    for (const floor of ['scoped', 'sealed']) {
      const { out } = await it.run(['--containment', floor, '--', 'python3', '-Ic', script]);
      expect(out).toBe('Permission denied\n'.repeat(3));
    }
    // With the grant, a root of its own still has only the work folder in it.
    const granted = ['--containment', 'sealed', '--unix-sockets', '--'];
    const { out } = await it.run([...granted, 'python3', '-Ic', script]);
    expect(out).toMatch(/^open\nNo such file or directory\n(Connection refused|Operation not permitted)\n$/);
    expect(servers.map(({ connections }) => connections())).toEqual([1, 0, 0]);
    const told = await it.run(['--unix-sockets', '--explain', '--json', '--', 'true']);
    expect(JSON.parse(told.out).held).toContainEqual({
      what: 'network',
      strength: 'partial',
      detail: expect.stringContaining('unix sockets of this machine'),
    });
  });

  test('/run, the variables that lead to a session bus, and systemd-run', async () => {
    const it = place();
    const bus = { DBUS_SESSION_BUS_ADDRESS: 'unix:path=/run/user/0/bus', XDG_RUNTIME_DIR: '/run/user/0' };
    const script = `ls /run; cat /run/* ; env | grep -E 'DBUS|XDG'; systemd-run --user true; echo $?`;
    const scoped = await it.run(['--', 'bash', '-c', script], { env: bus });
    expect(scoped.err).toMatch(/ls: cannot open directory '\/run': Permission denied/);
    const sealed = await it.run(['--containment', 'sealed', '--', 'bash', '-c', script], { env: bus });
    expect(sealed.err).toMatch(/ls: cannot access '\/run': No such file or directory/);
    for (const { out } of [scoped, sealed]) expect(out).toMatch(/^12[67]\n$/);
  });

  test.each(['scoped', 'sealed'])('%s: a folder to be read that is a link', async (floor) => {
    const it = place();
    const root = dirname(it.home);
    mkdirSync(join(root, 'real'));
    writeFileSync(join(root, 'real/data'), 'of the folder\n');
    symlinkSync('real', join(root, 'link'));
    mkdirSync(join(it.home, '.murmur'));
    writeFileSync(join(it.home, '.murmur/config.yaml'), `host_paths: [{ path: ${root}/link, access: read }]\n`);
    const script = `cat ${root}/real/data; echo x > ${root}/real/new; ls ${root}/real`;
    const { out } = await it.run(['--containment', floor, '--', 'bash', '-c', script]);
    expect(out).toBe('of the folder\ndata\n');
    // And one that a manifest names for an interpreter.
    rmSync(join(it.home, '.murmur/config.yaml'));
    writeFileSync(
      join(it.work, 'murmur.yaml'),
      `name: tried\nversion: "1.0.0"\ncapabilities:\n  containment: ${floor}\n  shell:\n    allow: [cat]\n    interpreter_runtime: [{ binary: cat, dirs: [{ path: ${root}/link, list_dir: true }] }]\n`,
    );
    const words = ['--manifest', 'murmur.yaml', '--', 'cat', `${root}/link/data`];
    expect((await it.run(words)).out).toBe('of the folder\n');
    expect(existsSync(join(root, 'real/new'))).toBe(false);
  });
});
