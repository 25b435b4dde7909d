import { describe, expect, test } from 'vitest';
import type { SessionRow } from '../../machines/registry/types.js';
import {
  arrange,
  formationLines,
  prunedLine,
  prunedLines,
  rowJson,
  tableLines,
  uptimeSeconds,
  uptimeText,
} from '../../src/cli/ps-table.js';
import { styleFor } from '../../src/cli/style.js';

const startedAt = '2026-01-01T00:00:00Z';
const nowMs = Date.parse(startedAt) + 90_061_000;
const style = styleFor(false);
const row = (sessionId: string, over: Partial<SessionRow> = {}): SessionRow => ({
  sessionId,
  capsule: 'sample',
  version: '0.1.0',
  url: 'localhost:4242',
  detached: false,
  startedAt,
  workdir: '/tmp/records',
  pid: 1,
  processStart: '1',
  status: 'running',
  reason: null,
  ...over,
});
const id = (digit: string) => `ses_${digit.repeat(32)}`;
const formation = `frm_${'f'.repeat(32)}`;

describe('the table of mur ps', () => {
  test('has the columns of the specification, two spaces apart, whatever is in them', () => {
    expect(
      tableLines([row(id('1')), row(id('2'), { detached: true, status: 'unreachable' })], { nowMs, style }),
    ).toEqual([
      'SESSION                               CAPSULE                   STATUS        DETACHED  UPTIME     URL',
      `${id('2')}  sample@0.1.0              unreachable   yes       1d 01:01:01  localhost:4242`,
      `${id('1')}  sample@0.1.0              running       no        1d 01:01:01  localhost:4242`,
    ]);
  });

  test('shows formations when a row has one, or a pruned record had', () => {
    const options = { nowMs, style };
    const lines = tableLines([row(id('1'), { formationId: formation }), row(id('2'))], options);
    expect(lines[0]).toMatch(/ {2}FORMATION {29}URL$/);
    expect(lines.map((line) => line.slice(101, 137).trimEnd()).slice(1)).toEqual(['-', formation]);
    expect(tableLines([row(id('1'))], options)[0]).not.toContain('FORMATION');
    expect(tableLines([row(id('1'))], { ...options, withFormations: true })[0]).toContain('FORMATION');
  });

  test('keeps members of a formation together, at the place of their newest', () => {
    const rows = [
      row(id('1'), { formationId: formation }),
      row(id('2')),
      row(id('3'), { formationId: formation }),
      row(id('4')),
    ];
    expect(arrange(rows).map(({ sessionId }) => sessionId[4])).toEqual(['4', '3', '1', '2']);
  });

  test('colours a status and nothing that is counted', () => {
    const [header, line] = tableLines([row(id('1'))], { nowMs, style: styleFor(true) });
    expect(header).toContain('\x1b[2mSESSION');
    expect(line).toContain('  \x1b[32mrunning     \x1b[39m  no');
  });

  test.each([
    [98, 'SESSION CAPSULE STATUS DETACHED UPTIME URL'],
    [97, 'SESSION CAPSULE STATUS UPTIME URL'],
    [80, 'SESSION CAPSULE STATUS UPTIME'],
    [70, 'SESSION CAPSULE STATUS'],
    [50, 'SESSION CAPSULE…'],
  ])('fits a screen of %i columns by leaving out what matters least', (fit, titles) => {
    const lines = tableLines([row(id('1'))], { nowMs, style, fit });
    expect(lines[0]!.split(/ +/).join(' ')).toBe(titles);
    expect(lines.every((line) => line.length <= fit)).toBe(true);
  });

  test('shows no control character of a record', () => {
    const lines = tableLines([row(id('1'), { capsule: 'a\x1b[2Jb\nc' })], { nowMs, style });
    expect(lines.join('')).not.toMatch(/[\x00-\x1f]/);
  });
});

describe('uptime', () => {
  test.each([
    [0, '00:00:00'],
    [59, '00:00:59'],
    [3_661, '01:01:01'],
    [86_399, '23:59:59'],
    [86_400, '1d 00:00:00'],
    [12 * 86_400 + 5, '12d 00:00:05'],
    [undefined, '-'],
  ])('%s seconds read %s', (seconds, text) => {
    expect(uptimeText(seconds)).toBe(text);
  });

  test('of a start that cannot be read, or is still to come, is unknown', () => {
    expect(uptimeSeconds('yesterday', nowMs)).toBeUndefined();
    expect(uptimeSeconds('2030-01-01T00:00:00Z', nowMs)).toBeUndefined();
  });
});

describe('what else mur ps says', () => {
  const gone = (digit: string, formationId?: string) => ({
    sessionId: id(digit),
    reason: 'no process holds pid 7',
    ...(formationId === undefined ? {} : { formationId }),
  });

  test('names a pruned record with its reason and formation', () => {
    expect(prunedLine(gone('1'))).toBe(`pruned: ${id('1')} — no process holds pid 7`);
    expect(prunedLine(gone('1', formation))).toBe(
      `pruned: ${id('1')} — no process holds pid 7 (formation ${formation})`,
    );
  });

  test('is one line for several pruned records, unless more is asked for', () => {
    expect(prunedLines([], false)).toEqual([]);
    expect(prunedLines([gone('1')], false)).toHaveLength(1);
    expect(prunedLines([gone('1'), gone('2')], false)).toEqual([
      'pruned: 2 records of processes that are gone (mur ps --verbose names them)',
    ]);
    expect(prunedLines([gone('1'), gone('2')], true)).toHaveLength(2);
  });

  test('sums up each formation and leaves zeros out', () => {
    const other = `frm_${'0'.repeat(32)}`;
    const rows = [
      row(id('1'), { formationId: formation }),
      row(id('2'), { formationId: formation, status: 'unreachable' }),
    ];
    expect(formationLines(rows, [gone('3', formation), gone('4', other)])).toEqual([
      `formation ${formation}: 2 listed (1 running, 1 unreachable), 1 pruned now`,
      `formation ${other}: 0 listed, 1 pruned now`,
    ]);
    expect(formationLines([row(id('1'))], [])).toEqual([]);
  });

  test('a row as JSON has the keys of the specification', () => {
    expect(rowJson(row(id('1')), nowMs)).toEqual({
      session_id: id('1'),
      capsule: 'sample',
      version: '0.1.0',
      status: 'running',
      detached: false,
      uptime_s: 90_061,
      url: 'localhost:4242',
      workdir: '/tmp/records',
    });
    const silent = row(id('1'), { status: 'unreachable', reason: 'silent', formationId: formation, startedAt: 'x' });
    expect(rowJson(silent, nowMs)).toMatchObject({ reason: 'silent', formation_id: formation, uptime_s: null });
  });
});
