/** Sums of a task or a session, as `task_end` and `session_end` report them. */
export interface Totals {
  turns: number;
  inputTokens: number;
  outputTokens: number;
  toolCalls: number;
  shellCalls: number;
}

export const noTotals = (): Totals => ({ turns: 0, inputTokens: 0, outputTokens: 0, toolCalls: 0, shellCalls: 0 });
