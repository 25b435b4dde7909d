import { describe, expect, test } from 'vitest';
import { decideWithoutHost } from '../../src/containment/without-host.js';
import { type ContainmentClass, parseManifest, strongestContainment } from '../../src/manifest/index.js';
import { capabilityPolicyFromManifest } from '../../src/policy/index.js';
import {
  grantedOf,
  type ScopeContainment,
  type ScopeInput,
  type ScopeReport,
  scopeFolders,
  scopeReport,
} from '../../src/scope/index.js';

const home = {
  root: '/home/ada/.murmur',
  sessions: '/home/ada/.murmur/sessions',
  records: '/home/ada/.murmur/records',
};

/** Where nothing depends on the host; a stronger floor is one that this host does not meet. */
const undecided = (floor: ContainmentClass): ScopeContainment =>
  floor === 'unconfined' || floor === 'advisory'
    ? decideWithoutHost(floor)
    : {
        ...decideWithoutHost('advisory'),
        floor,
        floorMet: false,
        shortfallReason: 'this host installs no kernel sandbox',
      };

function inputOf(yaml: string, more: Partial<ScopeInput> & { workdir?: string } = {}): ScopeInput {
  const { workdir, ...rest } = more;
  const { manifest } = parseManifest(`name: pump\nversion: "1.0.0"\n${yaml}`, { path: 'murmur.yaml' });
  return {
    manifest,
    policy: capabilityPolicyFromManifest(manifest),
    containment: undecided(strongestContainment([manifest.capabilities?.containment])),
    folders: scopeFolders({ home, manifestDir: '/srv/pump', ...(workdir === undefined ? {} : { workdir }) }),
    platform: 'linux',
    ...rest,
  };
}

const reportOf = (yaml: string, more: Parameters<typeof inputOf>[1] = {}): ScopeReport =>
  scopeReport(inputOf(yaml, more));

/** A decision as a host with kernel mechanisms would have it. */
const decided = (tier: 'sealed' | 'full' | 'seccomp', achieved: ContainmentClass): ScopeContainment => ({
  floor: achieved,
  tier,
  achieved,
  hostContainment: 'sealed',
  mechanism: { sealed: 'mountns+pivot_root+landlock+seccomp', full: 'landlock+seccomp', seccomp: 'seccomp-only' }[tier],
  noexec: true,
  chain: 'bubblewrap',
  floorMet: true,
  usernsGrant: 'apparmor_absent',
  landlockAbi: 5,
});

/** Every key of spec/containment.md 18, and the four of ours. */
const keys = [
  ...['declared_containment', 'achieved_containment', 'host_containment', 'floor_met', 'enforcement_tier'],
  ...['userns_grant', 'landlock_abi', 'noexec', 'cgroup', 'max_processes_enforced', 'filesystem_scope', 'workdir_exec'],
  ...['read_only_paths', 'read_only_advisory_for', 'preopens', 'network_allow', 'unix_sockets', 'shell_allow'],
  ...['spawn_allow', 'env_allow', 'spawn_workdir_snapshot', 'parent_workdir', 'plan_submit', 'install_skill'],
  ...['install_tool', 'install_from', 'interpreter_runtime_grants', 'derived_interpreter_runtime', 'trust_store'],
  ...['name_resolution', 'host_paths', 'exports_files', 'peer_files', 'peer_tasks', 'peer_fetch_allow', 'state_stores'],
  ...['configured_artifacts', 'staged_runtime_grants', 'runtime_writes', 'runtime_dir', 'records_dir', 'temp_dir'],
  ...['io_max', 'filesystem_boundary', 'native_tools', 'work_folder', 'record_store', 'shell_starters', 'limits'],
  'read_only_enforcement',
  'resources',
];

const everything = `
artifacts:
  - { name: acme/files, version: 1.0.0, capabilities: { filesystem: { scope: docs } } }
  - { name: driver, version: 1.0.0, runtime: driver, config: { secret: hunter2 } }
  - { name: audit, version: 1.0.0, runtime: hook }
  - { name: keeper, version: 1.0.0, runtime: hook, capabilities: { filesystem: { scope: log }, state: { store: ledger } } }
  - { name: style, version: 1.0.0, runtime: skill }
capabilities:
  network: { allow: [api.example.com], unix_sockets: true }
  peer_fetch: { allow: [peer.example.com] }
  filesystem: { scope: src, read_only: [tests, docs/spec], workdir_exec: true }
  shell:
    allow: [git, python3, bash]
    interpreter_runtime: [{ binary: python3, dirs: [{ path: /opt/py, list_dir: true }, { path: /opt/lib, list_dir: false }] }]
    staged_runtime: [{ binary: git, source_path: /opt/git, pin: "2.40" }]
  spawn: { allow: [local/a, local/b], workdir_snapshot: [local/b] }
  env: { allow: [LANG] }
  plan: { submit: true }
  install: { skill: ["acme/log-*"], tool: [files], from: [stores, sources] }
  resources: { cgroup_io_bytes_per_sec: 1000000 }
exports:
  files: { root: out, mode: read-only, max_bytes: 1Mi }
  peer_files: { root: hand, max_bytes: 2Mi }
  peer_tasks: { accept: true }
`;

describe('the scope report (spec/containment.md 18)', () => {
  test('has every key for a capsule that declares nothing: lists empty, objects null', () => {
    const report = reportOf('');
    expect(Object.keys(report).sort()).toEqual([...keys].sort());
    const { runtime_writes: _, install_from: origins, ...rest } = report;
    expect(origins).toEqual(['stores']);
    for (const [key, value] of Object.entries(rest)) if (Array.isArray(value)) expect(value, key).toEqual([]);
    expect(report).toMatchObject({
      exports_files: null,
      peer_files: null,
      parent_workdir: null,
      filesystem_scope: null,
    });
  });

  test('has the same keys for one that declares everything, verbatim and in declaration order', () => {
    const report = reportOf(everything);
    expect(Object.keys(report).sort()).toEqual([...keys].sort());
    expect(report).toMatchObject({
      filesystem_scope: 'src',
      workdir_exec: true,
      read_only_paths: ['tests', 'docs/spec'],
      read_only_advisory_for: ['python3', 'bash'],
      // Nobody looked, so nothing is claimed.
      read_only_enforcement: { commands: null, commands_because: 'it was not looked at', guests: 'walk', not_held: [] },
      network_allow: ['api.example.com'],
      unix_sockets: true,
      shell_allow: ['git', 'python3', 'bash'],
      spawn_allow: ['local/a', 'local/b'],
      spawn_workdir_snapshot: ['local/b'],
      env_allow: ['LANG'],
      plan_submit: true,
      install_skill: ['acme/log-*'],
      install_tool: ['files'],
      install_from: ['stores', 'sources'],
      interpreter_runtime_grants: ['python3: /opt/py (list_dir)', 'python3: /opt/lib'],
      staged_runtime_grants: ['git: /opt/git (pin: 2.40)'],
      exports_files: { root: 'out', mode: 'read-only', max_bytes: 1024 ** 2 },
      peer_files: { root: 'hand', max_ttl_secs: 3600, max_bytes: 2 * 1024 ** 2 },
      peer_tasks: true,
      peer_fetch_allow: ['peer.example.com'],
      state_stores: [{ artifact: 'keeper', store: 'ledger', host_path: '/home/ada/.murmur/state/ledger' }],
      io_max: { declared_bytes_per_sec: 1_000_000, status: 'not-probed' },
    });
  });

  test('mounts: tools and drivers the whole work folder, hooks nothing, a scope one subtree, skills no mount', () => {
    expect(reportOf(everything).preopens).toEqual([
      { artifact: 'acme/files', role: 'tool', scope: 'docs', surface: 'scoped-subtree' },
      { artifact: 'driver', role: 'driver', scope: null, surface: 'whole-workdir' },
      { artifact: 'audit', role: 'hook', scope: null, surface: 'nothing' },
      { artifact: 'keeper', role: 'hook', scope: 'log', surface: 'scoped-subtree' },
    ]);
  });

  test('says who may start programs: the model or the capsule, and tools that take nothing away from a command', () => {
    expect(reportOf(everything).shell_starters).toEqual([
      { who: 'capsule', role: 'capsule', refused_because: null },
      { who: 'acme/files', role: 'tool', refused_because: expect.stringContaining('narrows filesystem.scope') },
    ]);
    expect(reportOf('capabilities: { network: { allow: [a.example] } }').shell_starters).toEqual([]);
  });

  test('names configured artifacts and holds no value of theirs', () => {
    const report = reportOf(everything);
    expect(report.configured_artifacts).toEqual(['driver']);
    expect(JSON.stringify(report)).not.toContain('hunter2');
  });

  test('a shortfall has a reason, and only a shortfall', () => {
    expect(reportOf('capabilities: { containment: sealed }')).toMatchObject({
      declared_containment: 'sealed',
      achieved_containment: 'advisory',
      floor_met: false,
      shortfall_reason: expect.stringContaining('installs no kernel sandbox'),
    });
    expect(reportOf('')).not.toHaveProperty('shortfall_reason');
  });

  test('paths hold a placeholder for the session id, below the project or below the operator folder', () => {
    expect(reportOf('')).toMatchObject({
      work_folder: '/srv/pump/workdir/<session-id>',
      runtime_dir: { path: '/home/ada/.murmur/sessions/<session-id>/runtime' },
      records_dir: { path: '/home/ada/.murmur/records/srv/pump/workdir/<session-id>' },
      temp_dir: { path: '/home/ada/.murmur/records/srv/pump/workdir/<session-id>/tmp' },
    });
    const given = reportOf('', { workdir: '/data/work' });
    expect(given.work_folder).toBe('/data/work');
    expect(given.records_dir.path).toBe('/home/ada/.murmur/records/data/work/<session-id>');
    expect(given.runtime_writes.map(({ path }) => path)).not.toContain('/data/work');
  });

  test('an agent that keeps a record writes it below conversations, a script capsule and one that keeps none do not', () => {
    const agent = (context: string) => `
artifacts: [{ name: d, version: 1.0.0, runtime: driver, gateway: { endpoint: "https://api.example.com", keyless: true } }]
inference: { model: m, driver: { artifact: d } }
${context}`;
    expect(reportOf(agent('')).record_store).toBe('pump');
    expect(reportOf(agent('context: { record_store: shared }')).runtime_writes).toContainEqual({
      path: '/home/ada/.murmur/conversations/shared',
      holds: 'the conversation record; kept',
    });
    expect(reportOf(agent('context: { record: false }')).record_store).toBeNull();
    expect(reportOf('').record_store).toBeNull();
  });
});

describe('what it claims to be enforced', () => {
  test.each(['unconfined', 'advisory', 'scoped', 'sealed'] as const)(
    'this build claims no kernel mechanism for a %s capsule, with shell or without',
    (floor) => {
      for (const more of ['', ', shell: { allow: [git] }']) {
        const report = reportOf(`capabilities: { containment: ${floor}${more} }`);
        expect(report).toMatchObject({
          achieved_containment: floor === 'unconfined' ? 'unconfined' : 'advisory',
          host_containment: 'advisory',
          enforcement_tier: 'none',
          userns_grant: null,
          landlock_abi: null,
          noexec: null,
          max_processes_enforced: false,
          runtime_dir: { read_only_to_commands: false, enforced_by: null },
          records_dir: { read_only_to_commands: false, enforced_by: null },
          temp_dir: { maps_tmp: false },
          filesystem_boundary: { restriction: 'advisory' },
        });
        expect(report.runtime_dir.not_protected_because).not.toBeNull();
        expect(report.temp_dir.not_mapped_because).not.toBeNull();
        expect(['none', 'not-wanted']).toContain(report.cgroup);
      }
    },
  );

  test('a decision with mechanisms is reported by its mechanism, its files rules and its class', () => {
    expect(reportOf('', { containment: decided('sealed', 'sealed') })).toMatchObject({
      enforcement_tier: 'mountns+pivot_root+landlock+seccomp',
      runtime_dir: { read_only_to_commands: true, enforced_by: 'mountns+landlock', not_protected_because: null },
      temp_dir: { maps_tmp: true, not_mapped_because: null },
      filesystem_boundary: { restriction: 'absent', not_protected: [] },
      landlock_abi: 5,
      noexec: true,
    });
    expect(reportOf('', { containment: decided('full', 'scoped') })).toMatchObject({
      runtime_dir: { enforced_by: 'landlock' },
      filesystem_boundary: {
        restriction: 'enforced',
        not_protected: [expect.stringContaining('denied'), expect.stringContaining('HOME')],
      },
    });
    expect(reportOf('', { containment: decided('seccomp', 'advisory') }).records_dir).toMatchObject({
      enforced_by: null,
      not_protected_because: "the mechanism 'seccomp-only' has no rules for files",
    });
  });

  test('what this host could not put around commands is said below what the class does not protect', () => {
    const poor = { ...decided('full', 'scoped'), noexec: false, chain: 'stub' } as const;
    expect(reportOf('', { containment: poor }).filesystem_boundary.not_protected).toEqual([
      expect.stringContaining('denied'),
      expect.stringContaining('HOME'),
      expect.stringContaining('noexec'),
      expect.stringContaining('no process namespace'),
    ]);
    const narrow = { ...decided('sealed', 'sealed'), noexec: false };
    expect(reportOf('', { containment: narrow }).filesystem_boundary).toEqual({
      restriction: 'absent',
      not_protected: [expect.stringContaining('ELF loader')],
    });
  });

  test('a runtime directory inside the work folder is protected by nothing', () => {
    const report = reportOf('', { containment: decided('full', 'scoped'), workdir: '/home/ada' });
    expect(report.runtime_dir).toMatchObject({
      enforced_by: null,
      not_protected_because: expect.stringContaining('inside the work folder'),
    });
  });

  test('anything of the session below /tmp leaves /tmp unmapped, in a composed root too', () => {
    const below = { workdir: '/tmp/work' };
    expect(reportOf('', { containment: decided('full', 'scoped'), ...below }).temp_dir.maps_tmp).toBe(false);
    expect(reportOf('', { containment: decided('sealed', 'sealed'), ...below }).temp_dir).toMatchObject({
      maps_tmp: false,
      not_mapped_because: '/tmp/work is /tmp or lies below it',
    });
  });

  test.each([
    ['linux', '', undefined, 'not-wanted', 'not-required'],
    ['linux', 'capabilities: { shell: { allow: [git] } }', undefined, 'none', 'not-probed'],
    ['linux', 'capabilities: { shell: { allow: [git] } }', 'scope', 'scope', 'enforced'],
    [
      'linux',
      'capabilities: { containment: unconfined, shell: { allow: [git] } }',
      undefined,
      'not-wanted',
      'not-required',
    ],
    ['darwin', 'capabilities: { shell: { allow: [git] } }', undefined, 'not-wanted', 'not-required'],
  ] as const)('cgroup on %s, %s, measured %s: %s, io.max %s', (platform, yaml, measured, cgroup, status) => {
    const resources =
      measured === undefined
        ? {}
        : {
            resources: {
              cgroup: measured,
              maxProcessesEnforced: true,
              because: {},
              ioMax: { status: 'enforced' as const },
            },
          };
    expect(reportOf(yaml, { platform, ...resources })).toMatchObject({
      cgroup,
      max_processes_enforced: measured !== undefined,
      io_max: { declared_bytes_per_sec: null, status },
    });
  });
});

describe('what holds each limit of commands (spec/resources.md 3 to 6)', () => {
  const shell = 'capabilities: { shell: { allow: [git] } }';
  const measured = { cgroup: 'scope', maxProcessesEnforced: true, because: {}, ioMax: { status: 'enforced' } } as const;
  const held = (yaml: string, more: Parameters<typeof inputOf>[1] = {}) =>
    Object.fromEntries(
      reportOf(yaml, more).resources.map(({ limit, enforced_by: by, not_enforced_because: because }) => [
        limit,
        by ?? because,
      ]),
    );
  const rlimits = ['max_open_files', 'max_file_size_bytes', 'cpu_seconds', 'memory_bytes'];
  const groups = ['cgroup_memory_bytes', 'cgroup_pids_max', 'cgroup_cpu_percent', 'cgroup_io_bytes_per_sec'];
  const all = (names: readonly string[], by: unknown) => Object.fromEntries(names.map((name) => [name, by]));

  test('a host with everything', () => {
    expect(held(shell, { resources: measured })).toEqual({
      ...all([...rlimits], 'rlimit'),
      ...all(['max_processes', ...groups], 'cgroup'),
      workdir_max_bytes: 'watch',
    });
    expect(reportOf(shell).resources.find(({ limit }) => limit === 'cpu_seconds')?.value).toBe(3600);
  });

  test('a root runtime on a host without a delegated group', () => {
    const because = { scope: 'no v2 group', maxProcesses: 'root is exempt' };
    const ioMax = { status: 'unavailable', reason: 'no v2 group' } as const;
    expect(held(shell, { resources: { cgroup: 'none', maxProcessesEnforced: false, because, ioMax } })).toEqual({
      max_processes: 'root is exempt',
      ...all(rlimits, 'rlimit'),
      ...all(groups, 'no v2 group'),
      workdir_max_bytes: 'watch',
    });
  });

  test('a disk that takes no limit, and a user that is counted by RLIMIT_NPROC', () => {
    const ioMax = { status: 'unavailable', reason: 'io.max: ENODEV' } as const;
    expect(held(shell, { resources: { ...measured, ioMax } })).toMatchObject({
      cgroup_cpu_percent: 'cgroup',
      cgroup_io_bytes_per_sec: 'io.max: ENODEV',
    });
    expect(held(shell, { resources: { ...measured, cgroup: 'none' } }).max_processes).toBe('rlimit');
  });

  test('nothing that sets limits before a start', () => {
    const because = { rlimits: 'no launcher', maxProcesses: 'no launcher' };
    const resources = { ...measured, cgroup: 'none', maxProcessesEnforced: false, because } as const;
    expect(held(shell, { resources })).toMatchObject(all(['max_processes', ...rlimits], 'no launcher'));
  });

  test('what nobody looked at is not claimed, and a capsule without commands has nothing to hold', () => {
    expect(held(shell)).toMatchObject(all(['max_processes', ...rlimits, ...groups], 'it was not looked at'));
    expect(held('')).toEqual({});
    expect(held('capabilities: { resources: { workdir_max_bytes: 5 } }')).toEqual({ workdir_max_bytes: 'watch' });
  });

  test('an unconfined session: what its manifest declares, in a scope if that is a limit of one', () => {
    const report = reportOf(
      'capabilities: { containment: unconfined, shell: { allow: [git] }, resources: { cpu_seconds: 9, cgroup_memory_bytes: 7 } }',
      { resources: { ...measured, maxProcessesEnforced: false } },
    );
    expect(report.cgroup).toBe('scope');
    const applied = report.resources.filter(({ value }) => value !== null);
    expect(applied).toEqual([
      { limit: 'cpu_seconds', value: 9, enforced_by: 'rlimit' },
      { limit: 'cgroup_memory_bytes', value: 7, enforced_by: 'cgroup' },
    ]);
    expect(report.resources).toContainEqual({
      limit: 'workdir_max_bytes',
      value: null,
      enforced_by: null,
      not_enforced_because: 'an unconfined session applies only what its manifest declares',
    });
  });
});

describe('what a report grants', () => {
  test('leaves out denials, and facts that no manifest grants', () => {
    expect(Object.keys(grantedOf({ ...reportOf('') })).sort()).toEqual(['install_from', 'limits', 'work_folder']);
    expect(Object.keys(grantedOf({ ...reportOf(everything) }))).toEqual(
      expect.arrayContaining(['network_allow', 'shell_allow', 'exports_files', 'preopens', 'unix_sockets']),
    );
  });

  test('of an older session is what that one said', () => {
    const older = {
      network: { allow: [] },
      filesystem: { scope: null, work_folder: '/w' },
      configured_artifacts: ['a'],
    };
    expect(grantedOf(older)).toEqual(older);
  });
});
