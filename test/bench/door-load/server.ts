/** What the servers of this benchmark have in common, so that the work behind each of them is the same. Not a benchmark. */
import { setImmediate as nextTick } from 'node:timers/promises';
import { heapInUse } from '../heap.js';
import { answerParent } from './child.js';

export const answerText = 'Forty-two.';
export const chunkText = 'a piece of text ';
export const chunkCount = 1_000;
/** A model's words come in over many ticks. */
const chunksPerTick = 10;

/** Says every chunk, a few in each tick of the event loop. */
export async function sayChunks(say: () => void): Promise<void> {
  for (let said = 0; said < chunkCount; said += 1) {
    if (said % chunksPerTick === 0) await nextTick();
    say();
  }
}

/** What a server used so far. */
export interface Spent {
  /** User and system time. */
  readonly cpuMs: number;
  /** After a collection; only when that was asked for. */
  readonly heapBytes: number;
  readonly residentBytes: number;
}

/** Announces the port and from then on tells what was spent. */
export function serveParent(port: number): void {
  answerParent(async ({ weigh }: { readonly weigh?: boolean }): Promise<Spent> => {
    const { user, system } = process.cpuUsage();
    const heapBytes = weigh === true ? await heapInUse() : 0;
    return { cpuMs: (user + system) / 1_000, heapBytes, residentBytes: process.memoryUsage.rss() };
  });
  process.send!({ port });
}
