import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { elsewhere } from './elsewhere.js';
import type { Entry } from './record.js';
import { countsOf, markdownOf, type Summary } from './report.js';
import { allIds, batteryCases, isHarmless, permanentId } from './table.js';
import { classes, exitCodeOf, judge } from './verdict.js';

const root = resolve(import.meta.dirname, '../..');

describe('the table', () => {
  test('ids are unique, in kebab case, and the permanent row is there', () => {
    expect(new Set(allIds).size).toBe(allIds.length);
    for (const id of allIds) expect(id).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
    expect(batteryCases.find(({ id }) => id === permanentId)?.expect).toEqual({
      unconfined: 'n/a',
      advisory: 'n/a',
      scoped: 'REFUSED',
      sealed: 'REFUSED',
    });
  });

  test('a row that is removed or added has to be counted here', () => {
    const count = (kind: string) => batteryCases.filter((each) => each.kind === kind).length;
    expect({
      ids: allIds.length,
      attempts: batteryCases.length,
      boundaries: count('boundary'),
      ceilings: count('ceiling'),
    }).toEqual(counted);
  });

  test('the registry of the checklist is there, row by row', () => {
    const registry =
      'read-etc-shadow write-outside-workdir stat-outside-workdir symlink-escape hardlink-escape rename-across-boundary proc-self-cwd-reopen proc-pid-root-reopen proc-self-fd-reopen inherited-fd-after-exec mknod-block-device-in-workdir exec-renamed-disallowed-binary connect-unlisted-tcp-host exfil-udp dns-exfiltration abstract-unix-socket-connect pathname-unix-socket-connect syscall-io-uring-setup syscall-userfaultfd syscall-bpf syscall-open-by-handle-at syscall-perf-event-open syscall-keyctl resource-fork-bomb resource-disk-filler-per-file resource-disk-filler-aggregate resource-memory-hog resource-fd-exhauster';
    expect(registry.split(' ').filter((id) => !allIds.includes(id))).toEqual([]);
  });

  test('every row that expects a refusal says which mechanism answers', () => {
    const silent = batteryCases.filter(
      (each) => classes.some((held) => each.expect[held] === 'REFUSED') && Object.keys(each.by).length === 0,
    );
    expect(silent.map(({ id }) => id)).toEqual([]);
  });

  test('what is shown elsewhere is there', () => {
    expect(Object.values(elsewhere).filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });
});

const counted = { ids: 139, attempts: 94, boundaries: 90, ceilings: 4 };

test('every attempt that is also made with nothing around it is in the table', () => {
  expect(batteryCases.filter(({ id }) => isHarmless(id))).toHaveLength(29);
});

describe('a verdict', () => {
  const graded = (expected: 'REFUSED' | 'SUCCESS' | 'CONTAINED' | 'n/a') => ({
    expect: { unconfined: expected, advisory: expected, scoped: expected, sealed: expected },
    by: { EACCES: 'the mechanism' },
  });
  test.each([
    ['REFUSED', { kind: 'errno', errno: 'EACCES', detail: '' }, 'REFUSED', true],
    ['REFUSED', { kind: 'errno', errno: 'EXDEV', detail: '' }, 'INCONCLUSIVE', false],
    ['REFUSED', { kind: 'errno', errno: 'toString', detail: '' }, 'INCONCLUSIVE', false],
    ['REFUSED', { kind: 'through', detail: '' }, 'ALLOWED', false],
    ['REFUSED', { kind: 'none', detail: '' }, 'INCONCLUSIVE', false],
    ['SUCCESS', { kind: 'through', detail: '' }, 'SUCCESS', true],
    ['SUCCESS', { kind: 'errno', errno: 'EACCES', detail: '' }, 'REFUSED', false],
    ['CONTAINED', { kind: 'held', detail: '' }, 'CONTAINED', true],
    ['CONTAINED', { kind: 'through', detail: '' }, 'UNCONTAINED', false],
    ['n/a', { kind: 'through', detail: '' }, 'ALLOWED', null],
  ] as const)('expected %s, %j: %s', (expected, evidence, verdict, matches) => {
    expect(judge(graded(expected), 'scoped', evidence)).toMatchObject({ verdict, matches });
  });

  test('the exit tells a boundary from a ceiling, and neither from what is only recorded', () => {
    const ceiling = { kind: 'ceiling', matches: false } as const;
    const boundary = { kind: 'boundary', matches: false } as const;
    expect([
      exitCodeOf([]),
      exitCodeOf([ceiling]),
      exitCodeOf([ceiling, boundary]),
      exitCodeOf([{ kind: 'work', matches: false }]),
      exitCodeOf([{ kind: 'boundary', matches: null }]),
    ]).toEqual([0, 4, 3, 3, 0]);
  });
});

describe('the report', () => {
  const entry = (change: Partial<Entry>): Entry => ({
    ...{ id: 'read-it', from: 'here', attempt: 'read it', kind: 'boundary', user: 'root', held: 'scoped' },
    ...{ player: 'stub', expected: 'REFUSED', verdict: 'REFUSED', matches: true, line: 'EACCES: the mechanism' },
    ...change,
  });
  const entries = [
    entry({}),
    entry({ held: 'unconfined', expected: 'n/a', verdict: 'ALLOWED', matches: null, line: 'it was read' }),
    entry({ held: 'sealed', verdict: 'ALLOWED', matches: false, line: 'out it went' }),
    entry({ player: 'koffi' }),
    entry({ player: 'koffi', held: 'sealed', line: 'ENOENT: not there' }),
    entry({
      id: 'bomb',
      kind: 'ceiling',
      verdict: 'INCONCLUSIVE',
      matches: null,
      refused: 'a cgroup',
      line: 'not run: a cgroup',
    }),
  ];
  const text = markdownOf({ stamp: 'Short run', host: 'a host', exitCode: 3, seconds: 2, entries });

  test('says first what came out, then what failed, what did not run, each verdict, and the evidence', () => {
    const places = [
      'A boundary did not hold',
      '## Not as written',
      '## Not run here, and why',
      '## How to read it',
      '## What must not get out',
      '## Evidence: scoped',
      '## Shown elsewhere',
    ];
    expect(places.map((each) => text.indexOf(each))).toEqual(
      places.map((each) => text.indexOf(each)).sort((a, b) => a - b),
    );
    expect(text).toContain('| bomb | root | a cgroup |');
  });

  test('has one line for a row, with a verdict per class: graded, recorded, failed', () => {
    expect(text).toContain('| read-it | read it | (ALLOWED) |  | REFUSED | **ALLOWED**, REFUSED |');
  });

  test('has the evidence of the second player where it came to another verdict', () => {
    const evidence = text.slice(text.indexOf('## Evidence: scoped'));
    expect(evidence).toContain('| read-it | here | root | koffi | REFUSED | REFUSED | ENOENT: not there |');
    expect(evidence.match(/koffi/g)).toHaveLength(1);
  });

  test('says when a whole user is missing', () => {
    const without = markdownOf({
      stamp: '',
      host: '',
      exitCode: 2,
      seconds: 1,
      entries: [],
      skipped: 'a locked folder',
    });
    expect(without).toContain('| all of them | user | a locked folder |');
  });
});

/** What this host may lack without the run being a failure: limits that need a delegated cgroup, or a user who is not root. */
const mayBeMissing = ['resource-fork-bomb', 'resource-fork-bomb-nproc', 'resource-memory-hog', 'set-user-id-program'];

test.runIf(process.platform === 'linux')(
  'nothing gets out of a box in the short run, as root and as a user, through both players',
  { timeout: 240_000 },
  () => {
    const made = spawnSync(process.execPath, ['test/battery/bundle.mjs'], { cwd: root, encoding: 'utf8' });
    expect(made.stderr).toBe('');
    const { status, stdout, stderr } = spawnSync(process.execPath, ['dist/test/battery/main.js', '--short'], {
      cwd: root,
      encoding: 'utf8',
    });
    expect([0, 2], `${stdout}\n${stderr}`).toContain(status);
    const summary = JSON.parse(readFileSync(join(root, 'test-output/battery/short.json'), 'utf8')) as Summary;
    const counts = countsOf(summary.entries);
    expect(counts.map(({ held, player, failed }) => [held, player, failed])).toEqual(
      counts.map(({ held, player }) => [held, player, 0]),
    );
    expect(new Set(counts.map(({ held, player }) => `${held} ${player}`))).toEqual(
      new Set(['scoped stub', 'sealed stub', 'sealed koffi', 'unconfined stub']),
    );
    const missing = summary.entries.filter(({ refused }) => refused !== undefined).map(({ id }) => id);
    expect(missing.filter((id) => !mayBeMissing.includes(id))).toEqual([]);
  },
);
