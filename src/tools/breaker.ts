/**
 * Notices a model that repeats one failing call (cases/reports row 57). It only speaks: the call still runs, because the
 * world may have changed, and `max_turns` still ends the task.
 */

/** The last failing call and how often in a row it failed. Undefined: the last call did not fail. */
export interface Repetition {
  readonly call: string;
  readonly failures: number;
}

export interface CallResult {
  readonly name: string;
  /** The input as the model gave it. */
  readonly inputText: string;
  readonly isError: boolean;
}

const speakFrom = 3;

/**
 * The state after one more result, and from the third identical failure in a row the runtime note to put behind it.
 * Any success, and any failure of another call or another input, starts over. Keep one state per task.
 */
export function observeResult(
  state: Repetition | undefined,
  result: CallResult,
): { readonly state: Repetition | undefined; readonly note?: string } {
  if (!result.isError) return { state: undefined };
  const call = JSON.stringify([result.name, result.inputText]);
  const failures = state?.call === call ? state.failures + 1 : 1;
  const next = { call, failures };
  if (failures < speakFrom) return { state: next };
  return {
    state: next,
    note:
      `[runtime] This exact call of '${result.name}' has now failed ${failures} times in a row. Sending it again unchanged ` +
      'will most likely fail again: change the input, use another tool, or answer with what you have.',
  };
}
