/** Counts tokens on a thread of its own, one text after the other (src/effects/token-counter.ts is the other side). */
import { parentPort } from 'node:worker_threads';
import { countTokens } from './occupancy.js';

let last: Promise<unknown> = Promise.resolve();

parentPort?.on('message', (text: string) => {
  last = last.then(async () => parentPort?.postMessage(await countTokens(text)));
});
