/** A person, for a tool: the task waits for a reply at the door. Asking blocks, and does not count for the deadline of the call. */
import task from 'murmur:task/task@0.1.0';
import { wellFormed } from '../lib/utf8.js';

export function ask(question: string): string {
  return task.requestInput(wellFormed(question));
}
