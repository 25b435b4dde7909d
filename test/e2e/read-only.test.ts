import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { describeArchive } from '../../src/artifacts/describe.js';
import { localStore } from '../../src/artifacts/local-store.js';
import { skill } from '../artifacts/registries/server.js';
import { rehearsal, Sandbox } from './cli.js';

/** Nobody: root may write everywhere, so root's tests run the command as somebody else. */
const nobody = 65_534;
const isRoot = process.getuid?.() === 0;

test('in a project that may not be written, mur run warns that nothing is pinned and runs; mur install says why not', async () => {
  const sandbox = new Sandbox();
  try {
    sandbox.manifest(
      rehearsal([{ say: 'Done.' }], {
        artifacts: [
          { name: 'mur-driver-rehearsal', version: '0.1.0', runtime: 'driver' },
          { name: 'ledger-style', version: '1.0.0', runtime: 'skill' },
        ],
      }),
    );
    const bytes = await skill('ledger-style', '1.0.0');
    await localStore('global', join(sandbox.home, '.murmur/artifacts')).put(await describeArchive(bytes, 'a.zip'));
    const work = join(sandbox.root, 'work');
    mkdirSync(work);
    if (isRoot) spawnSync('chown', ['-R', `${nobody}:${nobody}`, sandbox.home, work]);
    chmodSync(sandbox.root, 0o755);
    chmodSync(sandbox.project, 0o555);
    const run = (...args: string[]) =>
      spawnSync(process.execPath, [resolve(import.meta.dirname, '../../dist/src/bin/mur.js'), ...args], {
        cwd: sandbox.project,
        env: { PATH: process.env.PATH ?? '', HOME: sandbox.home, MURMUR_A2A_TIMEOUT_SECS: '20' },
        encoding: 'utf8',
        ...(isRoot ? { uid: nobody, gid: nobody } : {}),
      });

    const ran = run('run', '--task', 'go', '--print', '--workdir', work);
    expect(ran).toMatchObject({ status: 0, stdout: 'Done.\n' });
    expect(ran.stderr).toContain('warning[W-RUN-905]: murmur.lock could not be written, so nothing is pinned: ');
    const refused = run('install', 'ledger-style@1.0.0');
    expect(refused).toMatchObject({ status: 1, stdout: '' });
    expect(refused.stderr).toMatch(/^error\[E-IO-002\]: .*\.murmur\.lock\.held: permission denied/);
    expect(readdirSync(sandbox.project)).toEqual(['murmur.yaml']);
  } finally {
    chmodSync(sandbox.project, 0o755);
    sandbox.remove();
  }
});
