import { needed } from '../stage/draft.js';
import { workOf } from './work.js';
import type { SessionWorld } from './world.js';

/** Every stream that is open gets the question, and those that come later, for as long as it is held. Ours; no person reads more. */
const questionBytesMax = 1024 * 1024;

/**
 * `murmur:task/task#request-input` for the tools of one task: the task waits for a person's reply at the door. Rejects, which traps
 * the guest, outside an A2A task, when nobody answers in time, and when the call is aborted (spec/session.md section 10).
 */
export const requestInput =
  (world: SessionWorld, taskId: string) =>
  async (question: string, signal: AbortSignal): Promise<string> => {
    // The question of a call that was ended while it asked: nobody would take it back.
    signal.throwIfAborted();
    const work = workOf(world, taskId);
    if (work.request.source !== 'a2a') {
      throw new Error('this task did not come through the door of its session (mur send), so nobody can answer');
    }
    if (Buffer.byteLength(question) > questionBytesMax) {
      throw new Error(`the question is over ${questionBytesMax} bytes`);
    }
    const prompt = world.secrets.redactKeys(question);
    const { clock, lifecycle, notify, sessionId } = world.draft;
    let wasAnswered = false;
    const waiting = new AbortController();
    const over = AbortSignal.any([signal, waiting.signal]);
    const { phase } = work;
    work.phase = 'input';
    try {
      const reply = await new Promise<string>((resolve, reject) => {
        const asked = world.registry.setInputRequired(taskId, prompt, resolve);
        if (!asked.ok) return reject(new Error(asked.reason));
        world.send({ type: 'input.requested', taskId, prompt });
        notify({ type: 'input.requested', sessionId: needed(sessionId, 'mint'), taskId, prompt });
        signal.addEventListener('abort', () => reject(new Error('the call was aborted')), { once: true });
        if (lifecycle.inputTimeoutSeconds === undefined) return;
        clock.sleep(lifecycle.inputTimeoutSeconds * 1000, over).then(
          () => {
            work.failureCause = 'input_timeout';
            reject(new Error('input-timeout'));
          },
          () => undefined,
        );
      });
      wasAnswered = true;
      return reply;
    } finally {
      waiting.abort();
      // A cancel that found the task waiting is told so in the trace, which is written after this.
      if (!signal.aborted) work.phase = phase;
      world.registry.abandonInput(taskId);
      world.send({ type: 'input.received', taskId });
      notify({ type: 'input.ended', taskId, wasAnswered });
    }
  };
