/** The ways a tool answers beyond returning a value. */
import { Failure } from '../lib/failure.js';

export interface AnswerDetails {
  /** One line for people. */
  readonly summary?: string;
  /** Whether the call only read, or changed something; with `resource` it lets the runtime notice repeated work. */
  readonly effect?: 'read' | 'mutate';
  /** What was read or changed, by a name of the tool's own. */
  readonly resource?: string;
  /** True when there is more than was returned. */
  readonly truncated?: boolean;
}

export class Answer {
  constructor(
    readonly data: unknown,
    readonly details: AnswerDetails,
  ) {}
}

/** A result with more to it than its data. */
export function answer(data: unknown, details: AnswerDetails = {}): Answer {
  return new Answer(data, details);
}

/** Ends the call: it was understood but cannot be done. Write for a model: what is wrong, and what to do instead. */
export function fail(message: string): never {
  throw new Failure(message);
}
