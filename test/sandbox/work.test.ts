import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { probeHost } from '../../src/containment/index.js';
import { type Work, workIn, workWith } from '../battery/work-scripts.js';
import { type Place, place } from './mur.js';

const host = await probeHost();
const hasAll = host.hostTier === 'sealed' && host.network.usable;

async function works(it: Place, flags: readonly string[], { program, args, shows }: Work): Promise<void> {
  const { out, err, exitCode } = await it.run([...flags, '--', program, ...args]);
  expect({ out, err, exitCode }).toMatchObject({ out: expect.stringMatching(shows), exitCode: 0 });
}

/** A server of this machine that says welcome. */
async function serve(): Promise<number> {
  const server = createServer((_, answer) => answer.end('welcome'));
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return (server.address() as AddressInfo).port;
}

describe.runIf(hasAll)('real work through mur sandbox', () => {
  test.each(['scoped', 'sealed'])('%s: pipelines, git, threads of Python and a copy of 200 MB', async (floor) => {
    const it = place();
    const { pipelines, git, python, copy } = workIn(it.work);
    const flags = ['--containment', floor];
    await works(it, flags, pipelines);
    await works(it, [...flags, '--allow', 'git'], git);
    await works(it, [...flags, '--allow', 'cat'], python);
    await works(it, flags, copy);
  });

  test.each(['scoped', 'sealed'])('%s: an allowed name of this machine, from curl and from Node', async (floor) => {
    const it = place();
    const [port, other] = [await serve(), await serve()];
    const flags = ['--containment', floor, '--network', `localhost:${port}`];
    const { curl, node } = workWith(`http://localhost:${port}/`);
    await works(it, flags, curl);
    await works(it, flags, node);
    const refused = await it.run([...flags, '--', 'curl', '-sS', '-m', '5', `http://localhost:${other}/`]);
    expect([refused.out, refused.exitCode]).toEqual(['', 7]);
    const named = await it.run([...flags, '--verbose', '--', 'curl', '-sS', '-m', '5', 'http://other.example/']);
    expect(named.err).toContain('a connection to other.example was refused');
    const quiet = await it.run([...flags, '--', 'curl', '-sS', '-m', '5', 'http://other.example/']);
    expect(quiet.err).toContain('connections were refused to other.example; --network <host> allows a host');
  });

  test('npm runs the script of a package, and its programs with workdir_exec only', async () => {
    const it = place();
    const script = `
echo '{"name":"x","version":"1.0.0","scripts":{"test":"node -p 6*7","own":"./own"}}' > package.json
printf '#!/bin/sh\\necho own\\n' > own; chmod +x own`;
    expect((await it.run(['--', 'bash', '-c', script])).exitCode).toBe(0);
    expect((await it.run(['--', 'npm', 'test'])).out).toMatch(/\n42\n$/);
    const held = await it.run(['--', 'npm', 'run', 'own']);
    expect([held.exitCode, held.err]).toEqual([126, expect.stringMatching(/Permission denied[\s\S]*--workdir-exec/)]);
    const allowed = await it.run(['--workdir-exec', '--', 'npm', 'run', 'own']);
    expect([allowed.exitCode, allowed.out, allowed.err]).toEqual([
      0,
      expect.stringMatching(/\nown\n$/),
      expect.stringContaining('W-SEC-011'),
    ]);
  });

  test.runIf(existsSync('/usr/bin/gcc'))('a compile, whose program runs with workdir_exec: advisory', async () => {
    const it = place();
    const { compile } = workIn(it.work);
    await works(it, ['--workdir-exec', '--allow', 'gcc'], compile);
    const told = await it.run(['--workdir-exec', '--explain', '--json', '--', 'make']);
    expect(JSON.parse(told.out).scope).toMatchObject({ achieved_containment: 'advisory', workdir_exec: true });
    const refused = await it.run(['--workdir-exec', '--containment', 'sealed', '--', 'make']);
    expect([refused.exitCode, refused.err]).toEqual([125, expect.stringMatching(/E-CAP-003.*workdir_exec/)]);
  });
});
