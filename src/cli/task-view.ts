/** What `mur send` and `mur cancel` print of a task, as lines and as JSON. Pure. */
import type { DoorTarget, DoorTask } from '../door-client/index.js';
import { answerCommand } from './answer.js';
import { oneLine } from './safe-text.js';
import { residueLine } from './stop-view.js';

/** `task:`, `state:`, and what still runs (spec/cli.md section 17). */
export function taskLines({ id, state, message, prompt, residue }: DoorTask): string[] {
  return [
    `task:    ${oneLine(id)}`,
    `state:   ${oneLine(state)}`,
    ...(message === undefined || message === prompt ? [] : [`message: ${oneLine(message)}`]),
    ...(prompt === undefined ? [] : [`asks:    ${oneLine(prompt)}`]),
    ...residue.map(residueLine),
  ];
}

/** What `--context` takes to go on with the conversation. */
export function contextLine({ contextId }: DoorTask): string {
  return `context: ${oneLine(contextId)}`;
}

/** What answers the question a task waits with. */
export function answerLine({ record, address }: DoorTarget): string {
  return `answer:  ${answerCommand(record === undefined ? { address: address.text } : { sessionId: record.session_id })}`;
}

/** The task for a program, with what it answered. */
export function taskJson({ id, contextId, state, message, response, prompt, residue }: DoorTask): string {
  return JSON.stringify({ task_id: id, context_id: contextId, state, message, response, prompt, residue });
}
