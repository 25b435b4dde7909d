import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  type BundleSource,
  bundleLines,
  isBundle,
  openReplay,
  readBundle,
  type Scrub,
} from '../../src/replay/index.js';
import { codeOf, heldFolder, temporaryFolder } from '../home/temporary.js';
import { rehearseFaithfully } from './rehearsal.js';

const nothing: Scrub = { text: (text) => text, value: (value) => value };
/** Takes one word out of everything. */
const without = (word: string): Scrub => ({
  text: (text) => text.replaceAll(word, '[redacted]'),
  value: (value) => JSON.parse(JSON.stringify(value).replaceAll(word, '[redacted]')),
});

async function recording(said?: string) {
  const records = heldFolder();
  const failing = Array.from({ length: 40 }, (_, index) => (index % 7 === 0 ? 2 : 0));
  const options = { tasks: 4, turns: 2, ...(said === undefined ? {} : { said, numbers: failing }) };
  const { sessionId } = await rehearseFaithfully(records, options);
  const events = readFileSync(join(records.path, 'events.jsonl'), 'utf8').trimEnd().split('\n');
  return { sessionId, folder: records.path, events: events.map((line) => JSON.parse(line) as Record<string, unknown>) };
}

function write(source: BundleSource, scrub: Scrub): string {
  const path = join(temporaryFolder(), 'a.murbundle');
  writeFileSync(path, `${[...bundleLines(source, scrub)].join('\n')}\n`);
  return path;
}

describe('a bundle', () => {
  test('holds everything it was made of, and replays like the original', async () => {
    const { sessionId, folder, events } = await recording();
    const path = write(
      {
        ...{ sessionId, exportedAt: 5, events },
        manifest: { name: 'murmur.yaml', text: 'name: a' },
        trace: [{ event_type: 'session_start' }],
        conversations: [{ context: 'ctx_a', line: { role: 'user' } }],
      },
      nothing,
    );
    expect(isBundle(path)).toBe(true);
    const bundle = readBundle(path);
    expect(bundle).toMatchObject({
      header: { session_id: sessionId, exported_at: 5 },
      manifest: { name: 'murmur.yaml', text: 'name: a' },
      trace: [{ event_type: 'session_start' }],
      conversations: [{ context: 'ctx_a', line: { role: 'user' } }],
      warnings: [],
    });
    const [before, after] = [openReplay(folder), bundle.replay()];
    expect(after.stateAt(50)).toEqual(before.stateAt(50));
    expect(after.verify()).toEqual(before.verify());
  });

  test('whose events had to be changed says "not compared" there, never a difference', async () => {
    const { sessionId, events } = await recording('the word is swordfish');
    const path = write({ sessionId, exportedAt: 5, events, trace: [], conversations: [] }, without('swordfish'));
    expect(readFileSync(path, 'utf8')).not.toContain('swordfish');
    const report = readBundle(path).replay().verify();
    expect(report.divergence).toBeUndefined();
    expect(report.unchecked).toBeGreaterThan(0);
    expect(report.checked).toBeGreaterThan(0);
  });

  test('that is cut short says so, and gives what is there', async () => {
    const { sessionId, events } = await recording();
    const path = write({ sessionId, exportedAt: 5, events, trace: [], conversations: [] }, nothing);
    const whole = readFileSync(path);
    for (const end of [whole.length - 1, whole.length - 40, whole.length >> 1]) {
      writeFileSync(path, whole.subarray(0, end));
      const bundle = readBundle(path);
      expect(bundle.warnings.length).toBeGreaterThan(0);
      expect(bundle.replay().verify().divergence).toBeUndefined();
    }
  });

  test('is not any other file', async () => {
    const { folder } = await recording();
    const log = join(folder, 'events.jsonl');
    expect([isBundle(log), isBundle(folder), isBundle(join(folder, 'nothing'))]).toEqual([false, false, false]);
    expect(codeOf(() => readBundle(log))).toBe('E-TRC-001');
    expect(codeOf(() => readBundle(join(folder, 'nothing')))).toBe('E-IO-001');
  });
});
