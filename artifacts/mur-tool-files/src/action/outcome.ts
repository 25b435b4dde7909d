/** What an action did: the text for the model, a short line for a person, and what it touched. */
export interface Outcome {
  readonly summary: string;
  /** Absent when the summary says it all. */
  readonly data?: string;
  readonly truncated?: boolean;
  readonly effect: 'read' | 'mutate';
  readonly path: string;
}
