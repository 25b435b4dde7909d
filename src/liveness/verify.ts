import { reasonOf } from '../errors/index.js';
import { type ProbeOptions, probeSession } from './probe.js';
import { type ReadOptions, readProcess } from './process.js';
import type { Evidence, Liveness, ProcessState, RunningRecord } from './types.js';

/** How many doors are asked at once. */
const defaultConcurrency = 16;

export type VerifyOptions = ReadOptions & ProbeOptions;

/**
 * All three layers, with what each said. Never rejects. The door is asked only when the process is `Alive`: of the others, it
 * could say nothing that counts.
 */
export async function verify(record: RunningRecord, options: VerifyOptions = {}): Promise<Liveness> {
  const { kernel, now = Date.now, ...probe } = options;
  const { state, evidence } = readProcess(record, { ...(kernel && { kernel }), now });
  const settled = livenessWithoutProbe(state, evidence);
  if (settled !== undefined) return settled;
  const because = (says: string): readonly Evidence[] => [...evidence, { layer: 3, says, at: now() }];
  try {
    const id = await probeSession(record, probe);
    if (id === record.session_id) {
      return { verdict: 'Live', evidence: because(`the door at ${record.url} answers for it`) };
    }
    return unreachable(`the capsule at ${record.url} answers for session ${shown(id)}`, because);
  } catch (error) {
    return unreachable(reasonOf(error), because);
  }
}

/** What layers 1 and 2 decide on their own; `undefined` when only the door can settle it. */
export function livenessWithoutProbe(state: ProcessState, evidence: readonly Evidence[] = []): Liveness | undefined {
  switch (state.verdict) {
    case 'Alive':
      return undefined;
    case 'Unverified':
      return { verdict: 'Unreachable', reason: state.reason, evidence };
    case 'Gone':
      return { verdict: 'Gone', reason: state.reason, evidence };
  }
}

/** Verifies many at once, in the order given. */
export async function verifyAll(
  records: readonly RunningRecord[],
  options: VerifyOptions & { readonly concurrency?: number } = {},
): Promise<Liveness[]> {
  const { concurrency = defaultConcurrency, ...each } = options;
  const verdicts: Liveness[] = [];
  const waiting = records.entries();
  const worker = async () => {
    for (const [index, record] of waiting) verdicts[index] = await verify(record, each);
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, records.length) }, worker));
  return verdicts;
}

function unreachable(reason: string, because: (says: string) => readonly Evidence[]): Liveness {
  return { verdict: 'Unreachable', reason, evidence: because(reason) };
}

/** A card may say anything, in a megabyte. */
function shown(id: string): string {
  return id.length <= 64 ? id : `${id.slice(0, 64)}...`;
}
