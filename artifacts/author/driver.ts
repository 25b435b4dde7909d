/** `mur:driver`: what an HTTP driver may use. types/mur.d.ts says the same to editors. */
import { hostSink } from '../lib/sink.js';
import { env } from './settings.js';

export { fail } from './answer.js';
export { driverConfig as config, env } from './settings.js';
export { sleep } from './timers.js';

/** Progress while the answer is made. */
export const stream = hostSink;

/** The address behind the gateway, without a slash at its end. */
export function endpoint(): string {
  return (env('MURMUR_INFERENCE_ENDPOINT') ?? '').trim().replace(/\/+$/, '');
}

/** What stands for the key: the runtime puts the real one into the request. Absent without a key. */
export function key(): string | undefined {
  return env('MURMUR_INFERENCE_API_KEY')?.trim() || undefined;
}
