import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type AnyStateMachine, assign } from 'xstate';
import { sessionMachine, taskMachine, turnMachine } from '../../machines/index.js';
import { eventLogItems, openReplay, type Replay, replayOf } from '../../src/replay/index.js';
import { readJsonLines } from '../../src/text/index.js';
import { codeOf, heldFolder, temporaryFolder } from '../home/temporary.js';
import { rehearse } from './rehearsal.js';

/** The same log without keyframes. */
function folded(path: string): Replay {
  return replayOf([...eventLogItems(readJsonLines(path))].filter(({ kind }) => kind !== 'keyframe'));
}

describe('a recorded session', () => {
  test('whatever happened to it, replays to the same states, hashes and requests', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(255), { minLength: 1, maxLength: 60 }), fc.nat(3), async (numbers, tasks) => {
        const records = heldFolder();
        const { root } = await rehearse(records, { numbers, tasks, turns: 2, interfere: true });
        const log = join(records.path, 'events.jsonl');
        let replay: Replay;
        try {
          replay = openReplay(records.path);
        } catch (error) {
          // It was refused before it had a folder.
          expect((error as { code: string }).code).toBe('E-IO-001');
          return;
        }
        const report = replay.verify();
        expect(report.divergence).toBeUndefined();
        expect(report.checked + report.unchecked).toBe(replay.length);
        const live = root.getSnapshot();
        const [end] = replay.stateAt(replay.length - 1).machines;
        expect(end).toMatchObject(
          JSON.parse(JSON.stringify({ status: live.status, value: live.value, context: live.context })),
        );
        const plain = folded(log);
        for (const q of [0, 63, 64, 100, replay.length - 1]) expect(replay.stateAt(q)).toEqual(plain.stateAt(q));
      }),
      { numRuns: 150 },
    );
  });
});
