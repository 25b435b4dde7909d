import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { packArchive } from '../../src/artifacts/archive.js';
import { describeArchive } from '../../src/artifacts/describe.js';
import { localStore } from '../../src/artifacts/local-store.js';
import { type Ran, rehearsal, Sandbox } from './cli.js';

let sandbox: Sandbox;
beforeEach(() => {
  sandbox = new Sandbox();
});
afterEach(() => sandbox.remove());

const explain = (...args: string[]): Promise<Ran> => sandbox.run(['run', '--explain-scope', ...args]);

describe('mur run --explain-scope (spec/cli.md 11.4)', () => {
  test('prints, with --json, the object that a run then records as its effective grants', async () => {
    sandbox.manifest(
      rehearsal([{ say: 'Done.' }], {
        capabilities: {
          network: { allow: ['api.example.com'] },
          env: { allow: ['LANG'] },
          limits: { memory_bytes: 67_108_864 },
        },
      }),
    );
    const { code, stdout, stderr } = await explain('--json');
    expect([code, stderr, stdout.split('\n').length]).toEqual([0, '', 2]);
    expect(await sandbox.run(['run', '--task', 'go', '--quiet'])).toMatchObject({ code: 0 });
    const [start] = sandbox.trace();
    expect(start).toMatchObject({
      event_type: 'session_start',
      containment_declared: 'advisory',
      containment_achieved: 'advisory',
    });
    expect(start!.effective_grants).toEqual(JSON.parse(stdout));
    expect(JSON.parse(stdout)).toMatchObject({
      work_folder: join(sandbox.project, 'workdir', '<session-id>'),
      network_allow: ['api.example.com'],
      enforcement_tier: 'none',
    });
  });

  test('and the same for one with commands: what holds each limit here is measured, and nothing is left of that', async () => {
    const capabilities = { shell: { allow: ['sh'] } };
    sandbox.manifest(rehearsal([{ say: 'Done.' }], { capabilities }));
    const { code, stdout } = await explain('--json');
    expect(code).toBe(0);
    const report = JSON.parse(stdout);
    expect(report.resources).toHaveLength(10);
    expect(stdout).not.toContain('was not looked at');
    expect(report.io_max.status).not.toBe('not-probed');
    expect(await sandbox.run(['run', '--task', 'go', '--quiet'])).toMatchObject({ code: 0 });
    expect(sandbox.trace()[0]!.effective_grants).toEqual(report);
    const text = (await explain()).stdout;
    expect(text).toContain('    - cpu_seconds: 3600, by rlimit\n');
    if (report.cgroup === 'none') expect(text).toMatch(/ {4}- cgroup_pids_max: 256, not enforced: \S+/);
  });

  test('and the same with a work folder of the operator', async () => {
    sandbox.manifest(rehearsal([{ say: 'Done.' }]));
    sandbox.write('project/work/a.txt', 'a');
    const report = JSON.parse((await explain('--json', '--workdir', 'work')).stdout);
    expect(await sandbox.run(['run', '--task', 'go', '--quiet', '--workdir', 'work'])).toMatchObject({ code: 0 });
    expect(sandbox.trace()[0]!.effective_grants).toEqual(report);
    expect(report.work_folder).toBe(join(sandbox.project, 'work'));
  });

  test('says it to people in the order of spec/containment.md 18.1', async () => {
    sandbox.manifest(rehearsal([{ say: 'Done.' }], { exports: { files: { root: 'out', mode: 'read-only' } } }));
    const { stdout } = await explain();
    const blocks = stdout.split('\n').filter((line) => /^\S/.test(line));
    expect(blocks).toEqual([
      'Containment',
      'Not protected here',
      'Effective grants',
      'Resource plane',
      'Peer handoff',
      'Runtime writes',
      'Runtime directory',
      'Records directory',
      'Temporary directory',
    ]);
    expect(stdout).toContain('  network allow: <none>\n');
    expect(stdout).toContain('    - mur-tool-files (tool): the whole accessible workdir — none declared\n');
    expect(stdout).toContain('  exports.files: out, read-only, max 10485760 bytes\n');
    expect(stdout).toContain('  mechanism: none\n  userns grant: n/a\n');
  });

  test.each([
    ['the manifest', { containment: 'sealed' }, [], ''],
    ['the flag', {}, ['--containment', 'sealed'], ''],
    ['the configuration', {}, [], 'containment: sealed\n'],
  ])(
    'reports a floor of %s that is not met, with exit 0, and says that a run would refuse',
    async (_, more, args, config) => {
      // No host backs a class while programs of the work folder may run.
      const capabilities = { ...more, filesystem: { workdir_exec: true } };
      sandbox.manifest(rehearsal([{ say: 'Done.' }], { capabilities }));
      if (config !== '') sandbox.write('home/.murmur/config.yaml', config);
      const { code, stdout } = await explain(...args);
      expect(code).toBe(0);
      expect(stdout).toMatch(
        /declared: sealed\n {2}achieved: advisory\n(?: {2}host: .*\n)? {2}floor met: no\n {2}reason: .*workdir_exec/,
      );
      expect(stdout).toMatch(/\nThe floor is not met: mur run would refuse here \(E-CAP-003\)\.\n$/);
      expect(await sandbox.run(['run', '--quiet', ...args])).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('error[E-CAP-003]: '),
      });
    },
  );

  test.each<[string, Readonly<Record<string, unknown>>, readonly string[]]>([
    ['E-CAP-001', { capabilities: { network: { allow: ['http://'] } } }, []],
    ['E-CAP-002', { capabilities: { filesystem: { scope: '/etc' } } }, []],
    [
      'E-CAP-009',
      {
        artifacts: [
          {
            name: 'mur-driver-rehearsal',
            version: '0.1.0',
            runtime: 'driver',
            capabilities: { state: { store: '..' } },
          },
        ],
      },
      [],
    ],
    ['E-CAP-011', {}, ['--context', '../x']],
    ['E-CAP-012', { capabilities: { filesystem: { read_only: ['../x'] } } }, []],
    [
      'E-CAP-013',
      {
        artifacts: [
          { name: 'mur-driver-rehearsal', version: '0.1.0', runtime: 'driver' },
          { name: 'share-file', version: '1.0.0' },
        ],
      },
      [],
    ],
    ['E-CAP-016', { capabilities: { env: { allow: ['GITHUB_TOKEN'] } } }, []],
    ['E-IO-003', {}, ['--lifecycle-after-task', 'forever']],
    ['E-IO-003', {}, ['--containment', 'strong']],
  ])('refuses with %s what a run refuses: %j %j', async (code, more, args) => {
    sandbox.manifest(rehearsal([{ say: 'Done.' }], more));
    expect(await explain(...args)).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining(`error[${code}]: `),
    });
  });

  test('ignores --system-prompt, and asks for no component, lock or artifact', async () => {
    sandbox.manifest('name: script\nversion: "1.0.0"\nartifacts: [{ name: nowhere, version: 9.9.9 }]\n');
    sandbox.write('project/murmur.lock', 'lock_version: 99\n');
    const { code, stdout, stderr } = await explain('--system-prompt', 'x', '--json');
    expect([code, stderr]).toEqual([0, '']);
    expect(JSON.parse(stdout)).toMatchObject({ record_store: null, preopens: [{ artifact: 'nowhere' }] });
  });

  test('of commands says on what they run, as the launch decides it', async () => {
    const capabilities = { shell: { allow: ['cat', 'bash'] }, network: { allow: ['example.com'] } };
    sandbox.manifest(rehearsal([{ say: 'Done.' }], { capabilities }));
    const report = JSON.parse((await explain('--json')).stdout);
    const ran = await sandbox.run(['run', '--task', 'go', '--quiet']);
    if (ran.code !== 0) return expect(ran.stderr).toContain('E-CAP-005');
    expect(sandbox.trace()[0]!.effective_grants).toEqual(report);
  });

  test('warns on stderr of what this version cannot serve, and still reports it', async () => {
    sandbox.manifest(
      rehearsal([{ say: 'Done.' }], {
        capabilities: {
          shell: { allow: ['git', 'bash'] },
          filesystem: { read_only: ['docs'] },
          plan: { submit: true },
        },
      }),
    );
    const { code, stdout, stderr } = await explain('--json');
    expect(code).toBe(0);
    expect(stderr).toContain('mur run would refuse this capsule (E-RUN-907)');
    expect(JSON.parse(stdout)).toMatchObject({
      shell_allow: ['git', 'bash'],
      read_only_advisory_for: ['bash'],
      cgroup: process.platform === 'linux' ? expect.stringMatching(/^(none|scope)$/) : 'not-wanted',
    });
  });

  test('explains an installed capsule by name', async () => {
    const manifest = rehearsal([{ say: 'Done.' }], {
      name: 'acme/pump',
      version: '1.0.0',
      runtime: 'capsule',
      capabilities: { env: { allow: ['LANG'] } },
    });
    const bytes = await packArchive([{ name: 'murmur.yaml', bytes: Buffer.from(manifest) }]);
    await localStore('global', join(sandbox.home, '.murmur/artifacts')).put(await describeArchive(bytes, 'test.zip'));
    const { code, stdout } = await explain('--capsule', 'acme/pump', '--capsule-version', '1.0.0', '--json');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ env_allow: ['LANG'], record_store: 'pump' });
  });
});
