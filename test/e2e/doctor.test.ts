import { spawnSync } from 'node:child_process';
import { chmodSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join, relative, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { packArchive } from '../../src/artifacts/archive.js';
import { describeArchive } from '../../src/artifacts/describe.js';
import { type LocalStore, localStore } from '../../src/artifacts/local-store.js';
import { hostPlatform, platforms } from '../../src/artifacts/platform.js';
import { probeHost } from '../../src/containment/index.js';
import { type PinRequest, pin, updateLock } from '../../src/lock/index.js';
import { sha256Hex } from '../../src/text/index.js';
import { native, skill } from '../artifacts/registries/server.js';
import { build } from '../fixtures/component/guests.js';
import { shellGuest } from '../fixtures/component/shell-guest.js';
import { toolZip } from './artifacts.js';
import { type Ran, rehearsal, Sandbox } from './cli.js';

const host = await probeHost();
const main = resolve(import.meta.dirname, '../../dist/src/bin/mur.js');
const driver = { name: 'mur-driver-rehearsal', version: '0.1.0', runtime: 'driver' };
const session = 'ses_01a2278ec3d470acaf26b87caea380d8';

let sandbox: Sandbox;
let global: LocalStore;
let project: LocalStore;
beforeEach(() => {
  sandbox = new Sandbox();
  global = localStore('global', join(sandbox.home, '.murmur', 'artifacts'));
  project = localStore('project', join(sandbox.project, '.murmur', 'artifacts'));
});
afterEach(() => sandbox.remove());

const doctor = (...args: string[]): Promise<Ran> => sandbox.run(['doctor', ...args]);
const json = async (...args: string[]) => JSON.parse((await doctor('--json', ...args)).stdout);
const put = async (store: LocalStore, bytes: Uint8Array) => store.put(await describeArchive(bytes, 'test.zip'));
/** A capsule that declares these besides the driver. */
const declares = (artifacts: readonly object[], more: Readonly<Record<string, unknown>> = {}) =>
  sandbox.manifest(rehearsal([{ say: 'Done.' }], { artifacts: [driver, ...artifacts], ...more }));
const pins = (...requests: readonly PinRequest[]) =>
  updateLock(sandbox.project, (lock) => requests.reduce((each, request) => pin(each, request), lock));
const operator = (name: string, bytes: Uint8Array, version = '1.0.0'): PinRequest => ({
  name,
  version,
  sha256: sha256Hex(bytes),
  origin: 'operator',
});
const pulled = (name: string, bytes: Uint8Array): PinRequest => ({
  ...operator(name, bytes),
  origin: 'runtime',
  session,
});
const tool = { name: 'acme-files', version: '1.0.0' };
/** A native tool in a folder of the project. */
const script = (text: string) => {
  sandbox.write(
    'project/script/murmur.yaml',
    'name: script\nversion: "1.0.0"\nruntime: tool\nimplementation: native\n',
  );
  sandbox.write('project/script/bin/script', text);
  return { name: 'script', source: './script', local_source: true };
};
/** The files tool, built against another version of its interface. */
async function oldToolZip(): Promise<Uint8Array> {
  const component = readFileSync(resolve(import.meta.dirname, '../../artifacts/mur-tool-files/mur-tool-files.wasm'));
  const text = component.toString('latin1').replaceAll('murmur:tool/run@0.1.0', 'murmur:tool/run@0.9.0');
  return packArchive([
    { name: 'murmur.yaml', bytes: Buffer.from('name: acme-files\nversion: "1.0.0"\nruntime: tool\n') },
    { name: 'tool.wasm', bytes: Buffer.from(text, 'latin1') },
  ]);
}

describe('the checklist (spec/cli.md section 10)', () => {
  test('says what each artifact is, and that all is well', async () => {
    declares([
      tool,
      { name: 'ledger-style', version: '1.0.0', runtime: 'skill' },
      { name: 'own', source: './own', runtime: 'skill' },
    ]);
    sandbox.write('project/own/skill.md', '# Own\n');
    await put(project, await toolZip('acme-files', '1.0.0'));
    await put(global, await skill('ledger-style', '1.0.0'));
    const ran = await doctor();
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    expect(ran.stdout).toContain(
      [
        `Checking ${join(sandbox.project, 'murmur.yaml')} for ${hostPlatform()}...`,
        '  ✓ mur-driver-rehearsal@0.1.0 platform-independent',
        '  ✓ acme-files@1.0.0 platform-independent',
        '  ✓ ledger-style@1.0.0 platform-independent',
        '  ✓ own local source',
        '',
        'All checks passed.',
        '',
      ].join('\n'),
    );
  });

  test('the blocks come in their order', async () => {
    declares([], {
      capabilities: { filesystem: { read_only: ['docs'] }, install: { skill: ['a'] }, spawn: { allow: ['local/a'] } },
    });
    sandbox.write(
      'project/roster.yaml',
      'roster_version: 1\nmembers: [{ name: a, capsule: a, version: "1", entry: true }]\n',
    );
    const headings = (await doctor()).stdout
      .split('\n')
      .filter((line) => /^[A-Zd]/.test(line))
      .map((line) => line.replace(/[ :(].*/, ''));
    const order = [
      'Host',
      'AppArmor',
      'Murmur',
      'Filesystem',
      'Read-only',
      'Install',
      'door',
      'Environment',
      'Roster',
      'Stores',
      'Refused',
      'Checking',
    ];
    expect(headings.filter((heading) => order.includes(heading))).toEqual(order);
  });

  test('--no-probe tries nothing of this machine, says so, and tells the rest all the same', async () => {
    declares([]);
    const { stdout } = await doctor('--no-probe');
    expect(stdout).toContain('  containment: not probed (--no-probe)\n');
    expect(stdout).not.toMatch(/AppArmor|landlock|bubblewrap/);
    expect(stdout).toContain('Filesystem preopens');
    const host = (await json('--no-probe')).host;
    expect(host).toMatchObject({ probed: false, node_version: process.version });
    expect(host).not.toHaveProperty('mechanisms');
  });

  test('works from a folder below the project', async () => {
    declares([]);
    mkdirSync(join(sandbox.project, 'deep/er'), { recursive: true });
    const ran = spawnSync(process.execPath, [main, 'doctor'], {
      cwd: join(sandbox.project, 'deep/er'),
      env: { PATH: process.env.PATH, HOME: sandbox.home },
      encoding: 'utf8',
    });
    expect(ran).toMatchObject({ status: 0, stderr: '' });
    expect(ran.stdout).toContain(`Checking ${join(sandbox.project, 'murmur.yaml')} `);
  });

  test('a missing artifact is an error that mur install mends', async () => {
    declares([tool]);
    const ran = await doctor();
    expect(ran.code).toBe(1);
    expect(ran.stdout).toContain('  ✗ acme-files@1.0.0 - missing\n');
    expect(ran.stdout).toMatch(/\n1 check\(s\) passed, 1 error\(s\) found\.\n\nFix: mur install acme-files@1\.0\.0\n$/);
  });

  test.each<[string, (bytes: Uint8Array) => readonly PinRequest[], string, string]>([
    [
      'no entry',
      () => [operator('other', Buffer.from('x'))],
      "murmur.lock missing artifact entry for 'acme-files'",
      'E-RUN-003',
    ],
    [
      'another version',
      (bytes) => [operator('acme-files', bytes, '2.0.0')],
      "murmur.lock version mismatch for 'acme-files': manifest requested 1.0.0, lock pinned 2.0.0",
      'E-RUN-003',
    ],
    [
      'other platforms only',
      (bytes) => [{ ...operator('acme-files', bytes), platform: platforms.find((name) => name !== hostPlatform())! }],
      `murmur.lock has no sha256 for 'acme-files' on ${hostPlatform()}: it pins `,
      'E-RUN-003',
    ],
    [
      'another hash',
      () => [operator('acme-files', Buffer.from('x'))],
      'artifact integrity check failed for acme-files@1.0.0',
      'E-REG-002',
    ],
  ])('a lock with %s is an error', async (_, requests, why, code) => {
    declares([tool]);
    const bytes = await toolZip('acme-files', '1.0.0');
    await put(project, bytes);
    await pins(...requests(bytes));
    const ran = await doctor();
    expect(ran.code).toBe(1);
    expect(ran.stdout).toContain(`  ✗ acme-files@1.0.0 - ${why}`);
    expect((await json()).checks[1]).toMatchObject({ level: 'error', code });
    if (code === 'E-REG-002') {
      expect(ran.stdout).toContain(`expected sha256 (murmur.lock): ${sha256Hex(Buffer.from('x'))}\n`);
      expect(ran.stdout).toContain(`actual sha256 (on disk): ${sha256Hex(bytes)}\n`);
    }
  });

  test('an archive that is not what its sidecar says is an error, once, also in the global store', async () => {
    declares([tool]);
    const { path } = await put(global, await toolZip('acme-files', '1.0.0'));
    writeFileSync(path, 'torn');
    const { checks, stores, errors } = await json();
    expect(checks[1]).toMatchObject({ level: 'error', code: 'E-REG-002', details: [expect.stringContaining(path)] });
    expect(stores[1]).toMatchObject({ scope: 'global', archives: 1, damaged: [] });
    expect(errors).toBe(1);
  });

  test('so is one that nobody declares, and one that a project archive hides', async () => {
    declares([tool]);
    await put(project, await toolZip('acme-files', '1.0.0'));
    for (const bytes of [await toolZip('acme-files', '1.0.0', 'x'), await skill('stray', '1.0.0')]) {
      writeFileSync((await put(global, bytes)).path, 'torn');
    }
    const { stores, errors, fixes } = await json();
    expect(stores[1].damaged.map(({ text }: { text: string }) => text.split(' ')[0])).toEqual([
      'acme-files@1.0.0',
      'stray@1.0.0',
    ]);
    expect(errors).toBe(2);
    expect(fixes).toEqual(['mur install acme-files@1.0.0', 'mur install stray@1.0.0']);
  });

  test('what lies in a store and is no artifact is a warning', async () => {
    declares([]);
    sandbox.write('home/.murmur/artifacts/junk.txt', 'x');
    const ran = await doctor();
    expect(ran.code).toBe(0);
    expect(ran.stdout).toContain('junk.txt: it is no artifact folder');
    expect(ran.stdout).toContain('1 check(s) passed, 0 error(s) found, 1 warning(s).');
  });

  test('an archive that the lock pins otherwise and nobody declares is a warning', async () => {
    declares([]);
    await put(project, await skill('stray', '1.0.0'));
    await pins(operator('stray', Buffer.from('x')));
    expect((await json()).stores[0].damaged).toEqual([
      expect.objectContaining({ level: 'warning', text: 'stray@1.0.0 is not what murmur.lock pins' }),
    ]);
  });

  test('what a session pulled: a tool is marked, an operator-only role refused, the undeclared noted', async () => {
    const bytes = await toolZip('acme-files', '1.0.0');
    await put(project, bytes);
    await pins(pulled('acme-files', bytes), pulled('extra', Buffer.from('x')));
    declares([tool]);
    const ran = await doctor();
    expect(ran.code).toBe(0);
    expect(ran.stdout).toContain(
      `  ⚠ acme-files@1.0.0 platform-independent - pulled at runtime by session ${session}\n`,
    );
    expect(ran.stdout).toContain(
      `  · extra@1.0.0 pulled at runtime by session ${session} - not declared in murmur.yaml\n`,
    );
    declares([{ ...tool, gateway: { endpoint: 'https://api.example.com', keyless: true } }]);
    const refused = await doctor();
    expect(refused.code).toBe(1);
    expect(refused.stdout).toContain(
      `  ✗ acme-files@1.0.0 - murmur.lock pins 'acme-files' from a runtime pull by session ${session}; murmur.yaml declares it with gateway:\n`,
    );
  });

  test('a program for another platform is an error; one for this host is named, with what it needs and this host lacks', async () => {
    const other = platforms.find((name) => name.startsWith('linux') && name !== hostPlatform())!;
    declares([{ name: 'counter', version: '1.0.0' }]);
    // Filed for this host although it was built for another: as a hand-made archive may be.
    const bytes = await native('counter', '1.0.0', other);
    const described = await describeArchive(bytes, 'test.zip', { platform: other });
    await project.put({ ...described, platform: hostPlatform() });
    expect((await json()).checks[1]).toMatchObject({
      level: 'error',
      code: 'E-RUN-021',
      text: `counter@1.0.0 - native binary is built for ${other}, this host is ${hostPlatform()}`,
    });
    await put(project, await native('counter', '1.0.0', hostPlatform()));
    expect((await json()).checks[1]).toMatchObject({ level: 'ok', text: `counter@1.0.0 ${hostPlatform()}` });
    declares([script('#!/usr/bin/env no-such-interpreter\n')]);
    expect((await json()).checks[1]).toMatchObject({
      level: 'warning',
      text: expect.stringMatching(/^script local source - needs no-such-interpreter, not found on this host/),
    });
    declares([{ ...script('#!/bin/sh\n'), gateway: { endpoint: 'https://api.example.com', keyless: true } }]);
    expect((await json()).checks[1]).toMatchObject({ level: 'error', code: 'E-CAP-017' });
  });

  test('a native artifact without a recorded platform is told of with W-REG-001', async () => {
    declares([{ name: 'counter', version: '1.0.0' }]);
    const { platform: _, ...untagged } = await describeArchive(
      await native('counter', '1.0.0', hostPlatform()),
      'test.zip',
    );
    await project.put(untagged);
    expect((await json()).checks[1]).toMatchObject({
      level: 'warning',
      code: 'W-REG-001',
      text: `counter@1.0.0 ${hostPlatform()} - native artifact with no recorded platform (warning[W-REG-001])`,
    });
  });

  test('an interface this mur does not serve: an error when declared, W-REG-003 when only installed', async () => {
    await put(global, await oldToolZip());
    declares([tool]);
    const why = 'built against murmur:tool/run@0.9.0, this mur serves murmur:tool@0.1.0';
    const ran = await doctor();
    expect(ran.code).toBe(1);
    expect(ran.stdout).toContain(`  ✗ acme-files@1.0.0 - ${why}\n`);
    expect(ran.stdout).not.toContain('Interface versions');
    declares([]);
    const warned = await doctor();
    expect(warned.code).toBe(0);
    expect(warned.stdout).toContain(
      `Interface versions\n  ⚠ warning[W-REG-003]: acme-files@1.0.0 (global) is ${why}\n`,
    );
  });
});

describe('the other blocks', () => {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a reference as a manifest writes it
  const gateway = { gateway: { endpoint: 'https://api.example.com', api_key: '${PUMP_KEY}' } };

  test('an unset variable is an error and named with its field; .env and the config file set it; no value is shown', async () => {
    declares([{ ...tool, ...gateway }]);
    await put(project, await toolZip('acme-files', '1.0.0'));
    const ran = await doctor();
    expect(ran.code).toBe(1);
    expect(ran.stdout).toContain('  ✗ PUMP_KEY unset - sample (artifacts[1].gateway.api_key)\n');
    expect(ran.stderr).toContain(
      'error[E-CAP-014]: this project needs 1 variable nothing in this environment sets: PUMP_KEY\n',
    );
    sandbox.write('project/.env', 'PUMP_KEY=hunter2\n');
    const set = await doctor('--json');
    expect(JSON.parse(set.stdout).environment.variables).toEqual([
      { name: 'PUMP_KEY', set: true, capsule: 'sample', field: 'artifacts[1].gateway.api_key' },
    ]);
    expect(set.stdout + set.stderr).not.toContain('hunter2');
    expect(set.code).toBe(0);
    rmSync(join(sandbox.project, '.env'));
    sandbox.write('home/.murmur/config.yaml', 'credentials: { PUMP_KEY: hunter2 }\n');
    chmodSync(join(sandbox.home, '.murmur/config.yaml'), 0o600);
    expect((await json()).environment.variables).toMatchObject([{ set: true }]);
  });

  test('what is wider than owner-only in the murmur home is a warning with its chmod', async () => {
    declares([]);
    const file = sandbox.write('home/.murmur/running/x.json', '{}');
    chmodSync(join(sandbox.home, '.murmur/running'), 0o755);
    chmodSync(file, 0o640);
    const ran = await doctor();
    expect(ran.code).toBe(0);
    expect(ran.stdout).toMatch(/\n {2}running: +0755, expected owner-only {2}/);
    expect(ran.stdout).toContain(`  ⚠ wider than 0600: ${file} is 0640\n`);
    expect(ran.stdout).toContain(`Fix: chmod 600 ${file}\n`);
    expect(ran.stdout).toMatch(/\n {2}deploy_keys: +absent {2}/);
    expect(ran.stderr.match(/warning\[W-SEC-028\]/g)).toHaveLength(2);
  });

  test('the door is public or bearer; a public one that others reach is W-SEC-032 on stdout', async () => {
    declares([]);
    expect((await doctor()).stdout).toContain('\ndoor: public (no network.authentication)\n');
    const open = await doctor('--bind', '0.0.0.0');
    expect(open.code).toBe(0);
    expect(open.stdout).toContain('warning[W-SEC-032]: bound to 0.0.0.0 without authentication');
    declares([], {
      network: { authentication: { scheme: 'bearer', credentials: { reader: { scopes: ['tasks/get'] } } } },
    });
    expect((await doctor('--bind', '0.0.0.0')).stdout).toContain('\ndoor: bearer - operator, reader (tasks/get)\n');
  });

  test('what a run refuses of the manifest is a warning that says so; what this build cannot serve is an error', async () => {
    declares([], { capabilities: { env: { allow: ['GITHUB_TOKEN'] } } });
    const ran = await doctor();
    expect(ran.code).toBe(0);
    expect(ran.stdout).toMatch(/⚠ warning\[E-CAP-016\]: .*GITHUB_TOKEN.*\n +mur run will refuse this capsule/);
    declares([], { capabilities: { plan: { submit: true }, filesystem: { workdir_exec: true } } });
    const unbuilt = await doctor();
    expect(unbuilt.code).toBe(1);
    expect(unbuilt.stdout).toContain('✗ this version of mur cannot serve capabilities.plan.submit yet');
    expect(unbuilt.stderr).toContain('warning[W-SEC-011]');
  });

  test('everything a run refuses is told at once, beside the warnings', async () => {
    declares([{ ...tool, capabilities: { state: { store: '../x' } } }], {
      capabilities: { env: { allow: ['GITHUB_TOKEN', 'DB_PASSWORD'] }, filesystem: { read_only: ['/etc'] } },
    });
    const { stdout, stderr } = await doctor();
    for (const code of ['E-CAP-012', 'E-CAP-016', 'E-CAP-009']) expect(stdout).toContain(`⚠ warning[${code}]: `);
    expect(stderr).toContain('warning[W-SEC-024]');
  });

  test('a .env that cannot be used is an error with its line, and the rest is looked at all the same', async () => {
    declares([]);
    sandbox.write('project/.env', 'GOOD=1\nhunter2\n');
    const ran = await doctor();
    const path = join(sandbox.project, '.env');
    expect(ran.code).toBe(1);
    expect(ran.stdout).toContain(`  ✗ ${path}:2: invalid .env entry at line 2: expected KEY=VALUE\n`);
    expect(ran.stdout).toContain(`\nFix: correct line 2 of ${path}, or remove it\n`);
    expect(ran.stdout).toContain('\nChecking ');
    expect(ran.stdout + ran.stderr).not.toContain('hunter2');
    expect((await json()).environment.env_file_problem).toBe('invalid .env entry at line 2: expected KEY=VALUE');
  });

  test('a scope that leaves the work folder is unresolved', async () => {
    declares([
      { ...tool, capabilities: { filesystem: { scope: '../up' } } },
      { ...tool, name: 'b', capabilities: { filesystem: { scope: 'in' } } },
    ]);
    const { stdout } = await doctor();
    expect(stdout).toContain('⚠ acme-files (tool): one subtree of the accessible workdir: <unresolved>\n');
    expect(stdout).toContain('- b (tool): one subtree of the accessible workdir: in\n');
  });

  test('read-only paths say what their enforcement is worth', async () => {
    declares([], { capabilities: { filesystem: { read_only: ['docs'] } } });
    expect((await doctor()).stdout).toContain('read_only enforcement: enforced for every tool call');
    declares([], { capabilities: { filesystem: { read_only: ['docs'] }, shell: { allow: ['git', 'python3'] } } });
    const mounted = host.chain === 'bubblewrap' && host.bubblewrap?.bindFd === true;
    const { stdout } = await doctor();
    expect(stdout).toContain(
      mounted
        ? 'read_only enforcement: enforced for every tool call and every command: mounted read-only\n'
        : 'read_only enforcement: advisory against python3\n',
    );
    // Where nobody looked, nothing is claimed.
    expect((await doctor('--no-probe')).stdout).toContain(
      'read_only enforcement: advisory against python3\n    - not mounted read-only for commands: containment was not probed (--no-probe)\n',
    );
    expect((await json('--no-probe')).read_only).toMatchObject({ advisory_for: ['python3'], commands: null });
  });
});

describe('the component of a script capsule', () => {
  const script = (more: object = {}) =>
    sandbox.manifest(JSON.stringify({ name: 'script', version: '0.1.0', artifacts: [], ...more }));
  const first = async () => (await json('--no-probe')).checks[0];

  test('is looked at as a launch would: there, exporting its world, asking for what it may have', async () => {
    script();
    expect(await first()).toMatchObject({ level: 'error', code: 'E-RUN-004' });
    const files = readFileSync(resolve(import.meta.dirname, '../../artifacts/mur-tool-files/mur-tool-files.wasm'));
    sandbox.write('project/capsule.wasm', files);
    expect(await first()).toMatchObject({
      level: 'error',
      text: expect.stringContaining('must export murmur:capsule'),
    });
    sandbox.write('project/capsule.wasm', await build(shellGuest('capsule', [{ binary: 'sh' }])));
    expect(await first()).toMatchObject({ level: 'warning', code: 'W-SEC-906' });
    script({ capabilities: { shell: { allow: ['sh'] } } });
    expect(await first()).toMatchObject({ level: 'ok', text: 'script@0.1.0 component of the capsule' });
  });
});

describe('the roster block', () => {
  const members =
    'members:\n  - { name: lead, capsule: acme/lead, version: "1.0.0", entry: true }\n  - { name: coder, capsule: acme/coder, version: "1.0.0" }\n';
  const capsule = (name: string, more: string): Promise<Uint8Array> =>
    packArchive([
      { name: 'murmur.yaml', bytes: Buffer.from(`name: acme/${name}\nversion: "1.0.0"\nruntime: capsule\n${more}`) },
      {
        name: 'capsule.wasm',
        bytes: readFileSync(resolve(import.meta.dirname, '../../artifacts/mur-tool-files/mur-tool-files.wasm')),
      },
    ]);

  test('is all there is in a folder with a roster and no manifest', async () => {
    sandbox.write('project/roster.yaml', `roster_version: 1\n${members}reachability: all\n`);
    const ran = await doctor();
    expect(ran.code).toBe(1);
    expect(ran.stdout).toMatch(/^Roster\n {2}file: /);
    expect(ran.stdout).toContain('✗ lead acme/lead@1.0.0 entry - not installed\n');
    expect(ran.stdout).toContain('Fix: mur install -g acme/coder@1.0.0\n');
    expect(ran.stdout).not.toContain('Checking');
    await put(global, await capsule('lead', ''));
    await put(
      global,
      await capsule(
        'coder',
        'exports: { peer_tasks: { accept: true } }\nnetwork: { authentication: { scheme: bearer } }\n',
      ),
    );
    const fine = await doctor();
    expect(fine.code).toBe(0);
    expect(fine.stdout).toContain('✓ lead acme/lead@1.0.0 entry refuses peers public door\n');
    expect(fine.stdout).toContain('✓ coder acme/coder@1.0.0 serves peers authenticated door\n');
    expect(fine.stdout).toContain('reachability (all): none\n');
    sandbox.write('project/roster.yaml', `roster_version: 1\n${members}reachability: [{ from: lead, to: [coder] }]\n`);
    expect((await doctor()).stdout).toContain('reachability: lead -> coder\n');
  });

  test.each([
    ['E-ROS-001', 'roster_version: 1\nmembers: []\n'],
    ['E-ROS-002', `roster_version: 1\n${members.replace(', entry: true', '')}`],
    ['E-ROS-003', `roster_version: 1\n${members.replace('coder,', 'lead,')}`],
    ['E-ROS-004', `roster_version: 1\n${members}reachability: [{ from: lead, to: [nobody] }]\n`],
    ['E-ROS-008', `roster_version: 1\n${members}reachability: [{ from: coder, to: [lead] }]\n`],
  ])('%s is one cross line, and the error on stderr', async (code, text) => {
    sandbox.write('project/roster.yaml', text);
    const ran = await doctor();
    expect(ran.code).toBe(1);
    expect(ran.stdout).toContain(`Roster\n  ✗ the roster is refused (${code})\n`);
    expect(ran.stderr).toContain(`error[${code}]: `);
  });
});

describe('a project that cannot be read has no checklist', () => {
  test.each<[string, string, () => void]>([
    ['a broken manifest', 'E-MAN-002', () => sandbox.manifest('a: [')],
    [
      'a broken lock',
      'E-RUN-003',
      () => {
        declares([]);
        sandbox.write('project/murmur.lock', 'lock_version: 99\n');
      },
    ],
  ])('%s: %s', async (_, code, arrange) => {
    arrange();
    expect(await doctor()).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining(`error[${code}]: `) });
  });
});

test('outside a project the machine is told of, then that there is none', async () => {
  const ran = await doctor();
  expect([ran.code, ran.stderr]).toEqual([
    1,
    'error[E-IO-001]: no project root found (no murmur.yaml in current or parent directories)\n  hint: mur new makes a project\n',
  ]);
  expect(ran.stdout).toMatch(/^Host\n {2}mur /);
  expect(ran.stdout).toContain('\nMurmur home (');
  expect(ran.stdout).not.toMatch(/Checking|check\(s\)|Fix:|preopens/);
  const told = await json();
  expect(told).toMatchObject({ manifest: null, checks: [], errors: 1, fixes: ['mur new makes a project'] });
  expect(Object.keys(told)).toEqual(expect.arrayContaining(['host', 'home']));
});

/** Everything below `folder` that a write would change. */
function snapshot(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8', withFileTypes: true })
    .map((entry) => {
      const path = join(entry.parentPath, entry.name);
      const { mode, size, mtimeNs, ino } = lstatSync(path, { bigint: true });
      return `${relative(folder, path)} ${mode.toString(8)} ${size} ${mtimeNs} ${ino}`;
    })
    .sort();
}

describe('mur doctor and mur run --explain-scope look and touch nothing', () => {
  const commands = [
    ['doctor'],
    ['doctor', '--json', '--bind', '0.0.0.0'],
    ['run', '--explain-scope'],
    ['run', '--explain-scope', '--json'],
  ];

  async function arrange(): Promise<void> {
    declares([tool, { name: 'gone', version: '1.0.0' }, { name: 'own', source: './own', runtime: 'skill' }]);
    sandbox.write('project/own/skill.md', '# Own\n');
    sandbox.write('project/.env', 'A=b\n');
    const bytes = await toolZip('acme-files', '1.0.0');
    await put(project, bytes);
    await put(global, await skill('stray', '1.0.0'));
    await pins(operator('acme-files', bytes), operator('gone', bytes));
    sandbox.write('home/.murmur/running/x.json', '{}');
    chmodSync(join(sandbox.home, '.murmur/running'), 0o755);
  }

  test.each(commands.map((args) => [args.join(' '), args] as const))(
    'mur %s changes nothing on disk',
    async (_, args) => {
      await arrange();
      const before = snapshot(sandbox.root);
      const ran = await sandbox.run(args);
      expect(ran.stdout).not.toBe('');
      expect(snapshot(sandbox.root)).toEqual(before);
    },
  );

  test('not even in a home that is empty', async () => {
    declares([]);
    rmSync(join(sandbox.home, '.murmur'), { recursive: true });
    const before = snapshot(sandbox.root);
    for (const args of commands) await sandbox.run(args);
    expect(snapshot(sandbox.root)).toEqual(before);
  });

  test('neither opens a connection, whatever the configuration and the environment name', async () => {
    await arrange();
    let connections = 0;
    const server = createServer((socket) => {
      connections += 1;
      socket.destroy();
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    try {
      const { port } = server.address() as { port: number };
      const url = `http://127.0.0.1:${port}`;
      sandbox.write(
        'home/.murmur/config.yaml',
        `registry: { default: a, index_url: "${url}", sources: [{ name: a, type: github, repo: acme/a, url: "${url}" }] }\n`,
      );
      const env = {
        HTTP_PROXY: url,
        HTTPS_PROXY: url,
        ALL_PROXY: url,
        MUR_GITHUB_API_BASE: url,
        MURMUR_ROOST_URL: url,
      };
      for (const args of commands) {
        const { code, stdout } = await sandbox.run(args, env);
        expect([args, code]).toEqual([args, args[0] === 'doctor' ? 1 : 0]);
        expect(stdout).not.toBe('');
      }
      expect(connections).toBe(0);
    } finally {
      await new Promise((done) => server.close(done));
    }
  });

  const cut = ['unshare', '--user', '--map-root-user', '--net'] as const;
  const canCut = spawnSync(cut[0], [...cut.slice(1), 'true']).status === 0;

  test.skipIf(!canCut)('both say the same without any network', async () => {
    await arrange();
    for (const args of commands) {
      const [command, ...rest] = cut;
      const offline = spawnSync(command, [...rest, process.execPath, main, ...args], {
        cwd: sandbox.project,
        env: { PATH: process.env.PATH, HOME: sandbox.home },
        encoding: 'utf8',
      });
      const online = await sandbox.run(args);
      expect(offline).toMatchObject({ status: online.code, stdout: online.stdout, stderr: online.stderr });
    }
  });
});
