import { describe, expect, test } from 'vitest';
import { containmentClasses, strongestContainment } from '../../src/manifest/index.js';
import { capsule, parse, placelessVerdict } from './support.js';

const granted = (lines: string) => parse(capsule(`capabilities:\n  ${lines}\n`)).capabilities;
const refused = (lines: string) => placelessVerdict(capsule(`capabilities:\n  ${lines}\n`));
const rule = (field: string, why: string) =>
  `E-MAN-003 murmur.yaml: invalid capability config for 'capabilities.${field}': ${why}`;

describe('capabilities', () => {
  test('read as declared: absent stays absent', () => {
    expect(parse(capsule('capabilities: {}')).capabilities).toEqual({});
    expect(granted('network: {}')).toEqual({ network: { unixSockets: false } });
    expect(granted('limits: { deadline_seconds: 5 }')).toEqual({ limits: { deadlineSeconds: 5 } });
    expect(granted('state:')).toEqual({});
    expect(granted('state: {}')).toEqual({ state: {} });
  });

  test('trim a scope and drop a blank one', () => {
    expect(granted('filesystem: { scope: "  work " }')?.filesystem?.scope).toBe('work');
    expect(granted('filesystem: { scope: "  " }')?.filesystem).not.toHaveProperty('scope');
  });

  test.each([
    ['peer_fetch: {}', rule('peer_fetch.allow', 'must contain at least one peer')],
    ['shell: {}', rule('shell.allow', 'must contain at least one binary')],
    ['limits: { memory_bytes: 0 }', rule('limits.memory_bytes', 'must be greater than zero, got 0')],
    ['limits: { deadline_seconds: -5 }', rule('limits.deadline_seconds', 'must be greater than zero, got -5')],
    ['resources: { cgroup_pids_max: 0 }', rule('resources.cgroup_pids_max', 'must be greater than zero, got 0')],
    [
      'containment: strict',
      rule('containment', "unknown value 'strict'; expected one of: unconfined, advisory, scoped, sealed"),
    ],
    ['plan: {}', rule('plan.submit', 'must be written: true or false')],
    ['task_io: { read: true }', rule('task_io', 'only a hook entry may declare task_io')],
    ['install: {}', rule('install', 'must name at least one skill or tool')],
    ['install: { from: [stores] }', rule('install', 'must name at least one skill or tool')],
    ['install: { tool: [a], from: [sources] }', rule('install.from', 'must include stores')],
    ['install: { tool: [a], from: [stores, stores] }', rule('install.from', 'must not repeat a value')],
    [
      'install: { tool: [a], from: [stores, web] }',
      rule('install.from', "unknown value 'web'; expected: stores, sources"),
    ],
    [
      'spawn: { allow: [a], workdir_snapshot: [b] }',
      rule('spawn.workdir_snapshot[0]', "'b' is not in capabilities.spawn.allow"),
    ],
    [
      'shell: { allow: [a], interpreter_runtime: [{ dirs: [] }] }',
      rule('shell.interpreter_runtime[0].binary', 'must name a binary'),
    ],
    [
      'shell: { allow: [a], interpreter_runtime: [{ binary: b }] }',
      rule('shell.interpreter_runtime[0].binary', "'b' is not in this block's allow list"),
    ],
    [
      'shell: { allow: [a], interpreter_runtime: [{ binary: a }] }',
      rule('shell.interpreter_runtime[0].dirs', 'must name at least one directory'),
    ],
    [
      'shell: { allow: [a], interpreter_runtime: [{ binary: a, dirs: [{ list_dir: true }] }] }',
      rule('shell.interpreter_runtime[0].dirs[0].path', 'must name a host directory'),
    ],
    [
      'shell: { allow: [a], interpreter_runtime: [{ binary: a, dirs: [{ path: lib, list_dir: true }] }] }',
      rule('shell.interpreter_runtime[0].dirs[0].path', "'lib' must be an absolute path"),
    ],
    [
      'shell: { allow: [a], interpreter_runtime: [{ binary: a, dirs: [{ path: /lib }] }] }',
      rule('shell.interpreter_runtime[0].dirs[0].list_dir', 'must be written: true or false'),
    ],
    [
      'shell: { allow: [a], staged_runtime: [{ binary: a, source_path: /opt }] }',
      rule('shell.staged_runtime[0].pin', 'must name the build of the tree'),
    ],
    [
      'shell: { allow: [a], interpreter_runtime: [{ binary: a, dirs: [{ path: /l, list_dir: false }] }], staged_runtime: [{ binary: a, source_path: /o, pin: p }] }',
      rule(
        'shell.staged_runtime[0].binary',
        "'a' already has an interpreter_runtime grant; a binary takes one of the two",
      ),
    ],
  ])('%s is refused', (lines, expected) => expect(refused(lines)).toBe(expected));

  test.each(['a', 'style-*', 'style*', '*', 'acme/a', 'acme/st-*'])('install entry %s is accepted', (entry) => {
    expect(granted(`install: { skill: ["${entry}"] }`)?.install?.skill).toEqual([entry]);
  });

  test.each(['', 'A', '-a*', 'a*b', '**', '*a', 'a/b/c', 'a:b', 'a b', '/a', 'a/', 'acme/*'])(
    'install entry "%s" is refused',
    (entry) => {
      expect(refused(`install: { skill: ["${entry}"] }`)).toBe(
        rule(
          'install.skill[0]',
          `'${entry}' is no install entry; expected an artifact name, "<prefix>*" or "*", optionally behind "<scope>/"`,
        ),
      );
    },
  );
});

describe('the containment floor', () => {
  test('is the strongest vote, whatever the order', () => {
    for (const [i, weak] of containmentClasses.entries()) {
      for (const strong of containmentClasses.slice(i)) {
        expect(strongestContainment([weak, undefined, strong])).toBe(strong);
        expect(strongestContainment([strong, weak])).toBe(strong);
      }
    }
  });

  test('is advisory when nobody asked, and unconfined only when that is the one vote', () => {
    expect(strongestContainment([])).toBe('advisory');
    expect(strongestContainment([undefined, 'unconfined'])).toBe('unconfined');
  });
});
