/** How an attempt ended, with what the result file needs to say about it (session.md 6.5). */
export type AttemptEnding =
  | { readonly type: 'answered'; readonly text: string; readonly stopReason: 'end_turn' | 'max_tokens' }
  | { readonly type: 'failed'; readonly reason: string }
  | { readonly type: 'turns_exceeded'; readonly maxTurns: number }
  /** `reason` names the ceiling. */
  | { readonly type: 'ceiling_reached'; readonly reason: string }
  | { readonly type: 'no_answer'; readonly reason: string }
  | { readonly type: 'canceled' };

/** The text of `out/result.txt` for an ending, credential values replaced by `redact`. */
export function resultText(ending: AttemptEnding, redact: (text: string) => string = (text) => text): string {
  switch (ending.type) {
    case 'answered':
      return redact(ending.text);
    case 'failed':
      return redact(`error: ${ending.reason}`);
    case 'turns_exceeded':
      return `error: ${turnsExceeded(ending.maxTurns)}`;
    case 'ceiling_reached':
      return redact(`error: ${ending.reason}`);
    case 'no_answer':
      return redact(`no answer: ${ending.reason}`);
    case 'canceled':
      return 'canceled: the task was canceled before it completed, so it has no result';
  }
}

export function turnsExceeded(maxTurns: number): string {
  return `inference loop exceeded ${maxTurns} turns`;
}

/** Names of the result files below `out/`: a threaded task with an id gets one of its own besides. */
export function resultFiles(conversation: 'stateless' | 'threaded', taskId: string | undefined): readonly string[] {
  return conversation === 'threaded' && taskId !== undefined ? ['result.txt', `result_${taskId}.txt`] : ['result.txt'];
}
