import { describe } from 'vitest';
import { caps, long, type Row, rows } from './support.js';

describe('section 6, capabilities', () => {
  rows(
    '6.1',
    [
      ['network: { allow: [], unix_sockets: true }', 'accepted'],
      ['peer_fetch: { allow: [] }', 'E-MAN-003 capabilities.peer_fetch.allow'],
      ['peer_fetch: {}', 'E-MAN-003 capabilities.peer_fetch.allow'],
      ['peer_fetch:', 'accepted'],
      ['peer_fetch: { allow: [localhost:1] }', 'accepted'],
      ['filesystem: { read_only: ["  "] }', 'accepted'],
      ['filesystem: { read_only: [../x] }', 'E-CAP-012'],
      ['filesystem: { workdir_exec: true }', 'accepted'],
      ['shell: { allow: [] }', 'E-MAN-003 capabilities.shell.allow'],
      ['shell: { strip_env: [A] }', 'E-MAN-003 capabilities.shell.allow'],
      ['env: {}', 'accepted'],
      ['env: { allow: [GITHUB_TOKEN] }', 'E-CAP-016'],
      ['env: { allow: [MY_API_KEY] }', 'E-CAP-016'],
      ['state: { store: x }, conversation: { read: true }', 'accepted'],
      ['plan: {}', 'E-MAN-003 capabilities.plan.submit'],
      ['plan: { submit: false }', 'accepted'],
      ['task_io: {}', 'E-MAN-003 capabilities.task_io'],
    ],
    caps,
  );

  const limits = ['memory_bytes', 'table_elements', 'instances', 'deadline_seconds'];
  const resources = [
    'max_processes',
    'max_open_files',
    'max_file_size_bytes',
    'cpu_seconds',
    'memory_bytes',
    'cgroup_memory_bytes',
    'cgroup_pids_max',
    'cgroup_cpu_percent',
    'cgroup_io_bytes_per_sec',
    'workdir_max_bytes',
  ];
  for (const [block, fields] of Object.entries({ limits, resources })) {
    rows(
      block === 'limits' ? '6.1' : '6.3',
      fields.flatMap((field): Row[] => [
        [`${block}: { ${field}: 1 }`, 'accepted'],
        [`${block}: { ${field}: 0 }`, `E-MAN-003 capabilities.${block}.${field}`],
        [`${block}: { ${field}: -1 }`, `E-MAN-003 capabilities.${block}.${field}`],
      ]),
      caps,
    );
  }

  const grant = (keys: string) => `shell: { allow: [sh, jq], interpreter_runtime: [{ ${keys} }] }`;
  const staged = (keys: string) => `shell: { allow: [sh], staged_runtime: [{ ${keys} }] }`;
  rows(
    '6.2',
    [
      [grant('binary: sh, dirs: [{ path: /l, list_dir: false }]'), 'accepted'],
      [grant('binary: " ", dirs: []'), 'E-MAN-003 capabilities.shell.interpreter_runtime[0].binary'],
      [grant('binary: no, dirs: []'), 'E-MAN-003 capabilities.shell.interpreter_runtime[0].binary'],
      [grant('binary: sh, dirs: []'), 'E-MAN-003 capabilities.shell.interpreter_runtime[0].dirs'],
      [
        grant('binary: sh, dirs: [{ path: /l, list_dir: true }, { path: /m }]'),
        'E-MAN-003 capabilities.shell.interpreter_runtime[0].dirs[1].list_dir',
      ],
      [
        grant('binary: sh, dirs: [{ path: l, list_dir: true }]'),
        'E-MAN-003 capabilities.shell.interpreter_runtime[0].dirs[0].path',
      ],
      [staged('binary: sh, source_path: /o, pin: p'), 'accepted'],
      [staged('binary: jq, source_path: /o, pin: p'), 'E-MAN-003 capabilities.shell.staged_runtime[0].binary'],
      [staged('binary: sh, pin: p'), 'E-MAN-003 capabilities.shell.staged_runtime[0].source_path'],
      [staged('binary: sh, source_path: o, pin: p'), 'E-MAN-003 capabilities.shell.staged_runtime[0].source_path'],
      [staged('binary: sh, source_path: /o, pin: " "'), 'E-MAN-003 capabilities.shell.staged_runtime[0].pin'],
    ],
    caps,
  );

  rows(
    '6.4',
    [
      ...['unconfined', 'advisory', 'scoped', 'sealed', '" sealed "', '" "'].map((word): Row => [word, 'accepted']),
      ['Sealed', 'E-MAN-003 capabilities.containment'],
      ['none', 'E-MAN-003 capabilities.containment'],
    ],
    (word) => caps(`containment: ${word}`),
  );

  rows(
    '6.5',
    [
      ['skill: [a]', 'accepted'],
      ['tool: ["*"], from: [stores, sources]', 'accepted'],
      ['tool: [a], from: [sources, stores]', 'accepted'],
      ['tool: [a], from: []', 'E-MAN-003 capabilities.install.from'],
      ['from: [stores, sources]', 'E-MAN-003 capabilities.install'],
      ['skill: [], tool: []', 'E-MAN-003 capabilities.install'],
      [`skill: ["${long(100)}*"]`, 'accepted'],
      [`skill: ["${long(101)}*"]`, 'E-MAN-003 capabilities.install.skill[0]'],
      ['skill: ["a/b/c*"]', 'E-MAN-003 capabilities.install.skill[0]'],
      ['skill: ["A/b*"]', 'E-MAN-003 capabilities.install.skill[0]'],
      ['tool: [a, "b*c"]', 'E-MAN-003 capabilities.install.tool[1]'],
    ],
    (keys) => caps(`install: { ${keys} }`),
  );

  rows(
    '6.6',
    [
      ['allow: [acme/x, y], workdir_snapshot: [y]', 'accepted'],
      ['workdir_snapshot: [y]', 'E-MAN-003 capabilities.spawn.workdir_snapshot[0]'],
      ['allow: [acme/x], workdir_snapshot: [acme/x, x]', 'E-MAN-003 capabilities.spawn.workdir_snapshot[1]'],
    ],
    (keys) => caps(`spawn: { ${keys} }`),
  );
});
