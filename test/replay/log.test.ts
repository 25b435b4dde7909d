import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { MurError, Secret } from '../../src/errors/index.js';
import type { HeldDirectory } from '../../src/home/types.js';
import { EventLog, type EventLogItem, readEventLog } from '../../src/replay/index.js';
import { mintId } from '../../src/supervise/ids.js';
import { murVersion } from '../../src/version.js';
import { heldFolder } from '../home/temporary.js';

const sessionId = mintId('ses');

function open(records: HeldDirectory): EventLog {
  const log = new EventLog(records, { sessionId, chart: 'abc' });
  onTestFinished(() => log.close());
  return log;
}

const pathOf = (records: HeldDirectory): string => join(records.path, 'events.jsonl');
const read = (records: HeldDirectory): EventLogItem[] => [...readEventLog(pathOf(records))];

test('begins with a header that names the session and the chart, in a 0600 file', () => {
  const records = heldFolder();
  open(records);
  expect(read(records)).toEqual([
    {
      kind: 'header',
      header: { format: 'mur-events', version: 1, session_id: sessionId, chart: 'abc', mur: murVersion },
    },
  ]);
  expect(statSync(pathOf(records)).mode & 0o777).toBe(0o600);
});

test('numbers events from 0 and writes keys in order, absent ones left out', () => {
  const records = heldFolder();
  const log = open(records);
  log.append([{ ev: { type: 'task.accepted' }, at: 5 }]);
  log.append([{ h: 'ff', ev: { type: 'xstate.done.actor.x' }, from: 'x', at: 6 }]);
  expect(readFileSync(pathOf(records), 'utf8').split('\n').slice(1, 3)).toEqual([
    '{"q":0,"at":5,"ev":{"type":"task.accepted"}}',
    '{"q":1,"at":6,"from":"x","ev":{"type":"xstate.done.actor.x"},"h":"ff"}',
  ]);
});

test('events of plain data survive the round trip', () => {
  fc.assert(
    fc.property(fc.array(fc.jsonValue(), { maxLength: 10 }), (outputs) => {
      const records = heldFolder();
      const log = open(records);
      for (const [at, output] of outputs.entries())
        log.append([{ at, ev: { type: 'done', output } as { type: string } }]);
      const back = read(records).flatMap((item) => (item.kind === 'event' ? [item.event.ev.output] : []));
      expect(back).toEqual(JSON.parse(JSON.stringify(outputs)));
    }),
    { numRuns: 30 },
  );
});

test('errors become tagged data; no secret is written', () => {
  const records = heldFolder();
  const log = open(records);
  log.append([
    {
      at: 1,
      ev: {
        type: 'x',
        plain: new TypeError('bad'),
        ours: new MurError('E-RUN-001', 'trapped'),
        key: new Secret('hunter2'),
        big: 10n,
        bytes: new Uint8Array([1, 2]),
      } as { type: string },
    },
  ]);
  const [, item] = read(records);
  expect(item).toMatchObject({
    event: {
      ev: {
        plain: { $error: 'TypeError', message: 'bad' },
        ours: { $error: 'MurError', code: 'E-RUN-001', message: 'trapped' },
        key: '<redacted>',
        big: '10',
        bytes: { $bytes: 'AQI=' },
      },
    },
  });
  expect(readFileSync(pathOf(records), 'utf8')).not.toContain('hunter2');
});

test('71: a torn tail loses the torn event only', () => {
  const records = heldFolder();
  const log = open(records);
  for (let at = 0; at < 3; at += 1) log.append([{ at, ev: { type: 'tick' } }]);
  const whole = readFileSync(pathOf(records));
  for (let cut = whole.lastIndexOf(0x0a, -2) + 2; cut < whole.length - 1; cut += 1) {
    writeFileSync(pathOf(records), whole.subarray(0, cut));
    const items = read(records);
    expect(items.filter((item) => item.kind === 'event')).toHaveLength(2);
    expect(items.filter((item) => item.kind === 'warning').length).toBeGreaterThan(0);
  }
});

test('a gap in the numbering is a warning', () => {
  const records = heldFolder();
  writeFileSync(pathOf(records), '{"q":0,"at":1,"ev":{"type":"a"}}\n{"q":2,"at":1,"ev":{"type":"b"}}\n{"x":1}\n');
  expect(read(records).flatMap((item) => (item.kind === 'warning' ? [item.reason] : []))).toEqual([
    'event 1 is missing',
    'neither a header, an event nor a keyframe',
  ]);
});

test('a write that fails ends the session', () => {
  const log = open(heldFolder());
  log.close();
  expect(() => log.append([{ at: 1, ev: { type: 'a' } }])).toThrow(expect.objectContaining({ code: 'E-RUN-007' }));
});
