import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { ContainmentClass, RuntimeManifest } from '../../src/manifest/index.js';
import { parseManifest } from '../../src/manifest/index.js';
import { capabilityPolicyFromManifest } from '../../src/policy/index.js';
import { scopeFolders, scopeReport } from '../../src/scope/index.js';
import { addressSpaceWarnings } from '../../src/stage/address-space.js';
import { hostFor, type ReachAsked, reachOf } from '../../src/stage/containment.js';
import { programWarnings } from '../../src/stage/programs.js';
import { host } from '../containment/host-fixture.js';

function asked(capabilities: string, floor: ContainmentClass, more: Partial<ReachAsked> = {}): ReachAsked {
  const { manifest } = parseManifest(`name: pump\nversion: "1"\ncapabilities: ${capabilities}\n`, { path: 'm' });
  const root = '/home/ada/.murmur';
  return {
    manifest,
    policy: capabilityPolicyFromManifest(manifest),
    floor,
    folders: scopeFolders({
      home: { root, sessions: join(root, 'sessions'), records: join(root, 'records') },
      manifestDir: '/srv/pump',
    }),
    hostEnv: { PATH: '/usr/bin:/bin' },
    hostPaths: [],
    ...more,
  };
}

describe('what a session gets of its host', () => {
  test.each(['unconfined', 'advisory'] as const)(
    'without commands and with floor %s the host is not asked, and nothing of it is claimed',
    async (floor) => {
      const request = asked('{}', floor);
      expect(await hostFor(request)).toBeUndefined();
      const { decision, programs } = await reachOf(request, undefined);
      expect(decision).toMatchObject({ tier: 'none', achieved: floor, mechanism: 'none', floorMet: true });
      expect(programs).toBeUndefined();
    },
  );

  test('a floor above advisory asks it, also for WASM tools alone', async () => {
    const { decision } = await reachOf(asked('{}', 'sealed'), host());
    expect(decision).toMatchObject({ tier: 'sealed', achieved: 'sealed', floorMet: true });
    await expect(reachOf(asked('{}', 'sealed'), undefined)).rejects.toThrow("whether a host backs 'sealed'");
  });

  test('the report of commands says on what they run, what they read, and the host it was decided on', async () => {
    const report = scopeReport(
      (await reachOf(asked('{ shell: { allow: [sh] }, network: { allow: [example.com] } }', 'advisory'), host())).scope,
    );
    expect(report).toMatchObject({
      achieved_containment: 'scoped',
      host_containment: 'sealed',
      enforcement_tier: 'landlock+seccomp',
    });
    expect(report.name_resolution).toContain(realpathSync('/etc/hosts'));
  });

  test('a lent folder is followed, reported, and must exist', async () => {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'mur-lent-')));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    mkdirSync(join(folder, 'data'));
    const lend = (path: string) =>
      reachOf(
        asked('{ shell: { allow: [sh] } }', 'advisory', { hostPaths: [{ declared: path, path, access: 'read' }] }),
        host(),
      );
    const { programs, scope } = await lend(join(folder, 'data'));
    expect(scopeReport(scope).host_paths).toEqual([
      {
        path: join(folder, 'data'),
        access: 'read',
        declared: join(folder, 'data'),
        credential_locations: [],
      },
    ]);
    expect(programs?.readPaths.at(-1)).toMatchObject({ path: join(folder, 'data'), access: 'read' });
    await expect(lend(join(folder, 'nowhere'))).rejects.toMatchObject({ code: 'E-CAP-901' });
  });
});

const executables = (...names: string[]) => ({
  binaries: names.map((name) => ({ name, path: `/usr/bin/${name}`, first: true, image: 'elf' as const })),
  executable: [],
  readable: [],
  derived: [],
  unreachableScripts: [],
  reused: [],
});

test('a name that is on no folder of PATH is told of: W-SEC-908', () => {
  const { policy } = asked('{ shell: { allow: [sh, gti] } }', 'advisory');
  const told = programWarnings(
    { policy, manifest: {}, floor: 'advisory' },
    { taskAcceptance: 'queue', afterTask: 'sleep' },
    { hostPaths: [], executables: executables('sh') },
  );
  expect(told).toEqual([{ code: 'W-SEC-908', message: expect.stringContaining("'gti' is on no folder of PATH") }]);
});

test('an operator is told of names that are no programs, of folders with credentials, and of a lifecycle that hears of nothing', () => {
  const { policy } = asked('{ shell: { allow: [sh, /bin/sh] } }', 'advisory');
  const hostPaths = [
    {
      declared: '~/k',
      path: '/k',
      access: 'read' as const,
      identity: { dev: 1n, ino: 1n },
      credentialLocations: ['~/.ssh'],
    },
  ];
  const agent = { inference: {} } as RuntimeManifest;
  const codes = (taskAcceptance: 'queue' | 'single', manifest: Pick<RuntimeManifest, 'inference'> = agent) =>
    programWarnings(
      { policy, manifest, floor: 'advisory' },
      { taskAcceptance, afterTask: 'sleep' },
      { hostPaths, executables: executables('sh') },
    ).map(({ code }) => code);
  expect(codes('single', {})).toEqual(['W-SEC-904', 'W-SEC-903']);
  expect(codes('single')).toEqual(['W-SEC-022', 'W-SEC-904', 'W-SEC-903']);
  expect(codes('queue')).toEqual(['W-SEC-904', 'W-SEC-903']);
  const compilers = {
    uncovered: [{ driver: 'gcc', helper: 'cc1', path: '/usr/lib/gcc/cc1', folder: '/usr/lib/gcc' }],
    unasked: [{ driver: 'cc', why: 'it failed' }],
  };
  const told = programWarnings(
    { policy, manifest: agent, floor: 'advisory' },
    { taskAcceptance: 'queue', afterTask: 'sleep' },
    { hostPaths: [], compilers, executables: executables('sh') },
  );
  expect(told.map(({ code, message }) => `${code} ${message}`)).toEqual(
    expect.arrayContaining([
      "W-SEC-012 'gcc' cannot start its helper cc1 (/usr/lib/gcc/cc1) in a sealed box; grant /usr/lib/gcc",
      "W-SEC-029 'cc' could not be asked for its helpers: it failed",
    ]),
  );
});

test.each([
  ['', 'scoped', 1],
  ['', 'unconfined', 0],
  [', resources: { memory_bytes: 11811160063 }', 'scoped', 1],
  [', resources: { memory_bytes: 11811160064 }', 'scoped', 0],
  [', resources: { memory_bytes: 2147483648 }', 'unconfined', 1],
] as const)('node with%s under %s: W-SEC-907 %i times', (resources, floor, times) => {
  const { policy } = asked(`{ shell: { allow: [sh, node] }${resources} }`, floor);
  const told = addressSpaceWarnings(policy, floor);
  expect(told).toHaveLength(times);
  for (const { message } of told) expect(message).toContain(`${policy.resources.memoryBytes} bytes of addresses`);
  expect(addressSpaceWarnings({ ...policy, shellAllow: ['sh'] }, floor)).toEqual([]);
});
