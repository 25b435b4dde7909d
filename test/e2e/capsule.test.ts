import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type PackEntry, packArchive } from '../../src/artifacts/archive.js';
import { describeArchive } from '../../src/artifacts/describe.js';
import { localStore } from '../../src/artifacts/local-store.js';
import { build, guests } from '../fixtures/component/guests.js';
import { toolZip } from './artifacts.js';
import { rehearsal, Sandbox } from './cli.js';

let sandbox: Sandbox;
beforeEach(() => {
  sandbox = new Sandbox();
});
afterEach(() => sandbox.remove());

/** Installs a capsule (or what calls itself one) for the user. */
async function installed(manifest: object, ...more: PackEntry[]): Promise<void> {
  const bytes = Buffer.from(JSON.stringify({ runtime: 'capsule', execution: 'static', ...manifest }));
  await put(await packArchive([{ name: 'murmur.yaml', bytes }, ...more]));
}
const put = async (bytes: Uint8Array) =>
  localStore('global', join(sandbox.home, '.murmur', 'artifacts')).put(await describeArchive(bytes, 'capsule.zip'));
const agent = (turns: readonly unknown[], more: object = {}): object => ({
  ...(JSON.parse(rehearsal(turns)) as object),
  name: 'acme/pump',
  version: '1.0.0',
  ...more,
});
const capsule = ['run', '--capsule', 'acme/pump', '--capsule-version', '1.0.0'];

describe('mur run --capsule (spec/cli.md 11.1)', () => {
  test('an agent capsule runs in this folder; no lock is read or made, no manifest copied', async () => {
    await put(await toolZip('acme-files', '1.0.0'));
    const declared = [
      { name: 'mur-driver-rehearsal', version: '0.1.0', runtime: 'driver' },
      { name: 'acme-files', version: '1.0.0' },
    ];
    const turns = [
      { call: { tool: 'acme-files', input: { action: 'write', path: 'note', content: 'Hi' } } },
      { say: 'Done.' },
    ];
    await installed(agent(turns, { artifacts: declared }));
    sandbox.write('project/murmur.lock', 'lock_version: 1\n');
    const ran = await sandbox.run([...capsule, '--task', 'go', '--print']);
    expect(ran).toMatchObject({ code: 0, stdout: 'Done.\n' });
    expect(readFileSync(join(sandbox.project, 'murmur.lock'), 'utf8')).toBe('lock_version: 1\n');
    expect(readdirSync(sandbox.project).sort()).toEqual(['murmur.lock', 'workdir']);
    const workdir = join(sandbox.project, 'workdir', basename(sandbox.records()[0]!));
    expect(readFileSync(join(workdir, 'note'), 'utf8')).toBe('Hi');
    expect(sandbox.trace().find(({ event_type }) => event_type === 'session_start')).toMatchObject({
      capsule_name: 'pump',
      capsule_version: '1.0.0',
    });
  });

  test('a script capsule runs its component, from memory', async () => {
    const echo = 'name: echo\nversion: "1.0.0"\nruntime: tool\n';
    await put(
      await packArchive([
        { name: 'murmur.yaml', bytes: Buffer.from(echo) },
        { name: 'echo.wasm', bytes: await build(guests.echo) },
      ]),
    );
    await installed(
      { name: 'script', version: '0.1.0', execution: 'wasm', artifacts: [{ name: 'echo', version: '1.0.0' }] },
      { name: 'capsule.wasm', bytes: await build(guests.capsule) },
    );
    const ran = await sandbox.run(['run', '--capsule', 'script', '--capsule-version', '0.1.0']);
    expect(ran).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^session: ses_[0-9a-f]{32}\nstatus: {2}ok\n$/),
    });
    expect(existsSync(join(sandbox.project, 'murmur.lock'))).toBe(false);
  });

  test('a prompt file is read from the archive, and only from there', async () => {
    const inference = {
      model: 'rehearsal',
      driver: { artifact: 'mur-driver-rehearsal', config: { turns: [{ say: 'Hi.' }] } },
    };
    const prompted = (file: string) => agent([], { inference: { ...inference, system_prompt_file: file } });
    const prompt = { name: 'prompts/main.md', bytes: Buffer.from('You look after a pump.') };
    await installed(prompted('./prompts/main.md'), prompt);
    expect(await sandbox.run([...capsule, '--task', 'go'])).toMatchObject({ code: 0 });
    for (const outside of [sandbox.write('project/secret.md', 'x'), 'secret.md', '../home/.murmur/config.yaml']) {
      await installed(prompted(outside), prompt);
      expect(await sandbox.run([...capsule, '--task', 'go'])).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/^.*error\[E-RUN-009\]: .*the archive of acme\/pump@1\.0\.0 holds no such file/s),
      });
    }
  });

  test('an entry with source: is refused, and so is what is no capsule or not there', async () => {
    await installed(
      agent([], { artifacts: [{ name: 'notes', source: '/etc', runtime: 'skill' }], inference: undefined }),
    );
    expect((await sandbox.run(capsule)).stderr).toContain(
      "artifact 'notes' has source:, and an installed capsule has no folder",
    );
    await put(await toolZip('acme-files', '1.0.0'));
    expect((await sandbox.run(['run', '--capsule', 'acme-files', '--capsule-version', '1.0.0'])).stderr).toContain(
      "error[E-MAN-003]: acme-files@1.0.0 cannot be run: its murmur.yaml says 'runtime: tool', expected capsule",
    );
    expect((await sandbox.run(['run', '--capsule', 'acme/pump', '--capsule-version', '2.0.0'])).stderr).toContain(
      'error[E-RUN-008]: missing artifacts: acme/pump@2.0.0\n  hint: mur install -g acme/pump@2.0.0\n',
    );
    await installed({ name: 'acme/pump', version: '1.0.0' });
    expect((await sandbox.run(capsule)).stderr).toContain(
      'error[E-RUN-004]: no capsule component found in acme/pump@1.0.0',
    );
    expect(sandbox.records()).toEqual([]);
  });

  test.each([
    [['--capsule', 'a']],
    [['--capsule-version', '1.0.0']],
    [['--capsule', 'a', '--capsule-version', '1.0.0', '--manifest', './murmur.yaml']],
  ])('%j is wrong usage', async (flags) => {
    expect(await sandbox.run(['run', ...flags])).toMatchObject({ code: 2, stdout: '' });
  });
});
