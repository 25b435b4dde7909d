/** One driver call, tool call, skill or command. */
export type CallKind = 'driver' | 'tool' | 'skill' | 'shell';

export interface Tokens {
  readonly input: number | null;
  readonly output: number | null;
  readonly cached: number | null;
  readonly thinking: number | null;
}

export interface Call {
  readonly key: string;
  kind: CallKind;
  name: string;
  readonly taskId: string;
  /** From 0, as in the trace. */
  turn: number;
  callId: string | null;
  start: number;
  /** Null while it runs. */
  end: number | null;
  status: 'running' | 'ok' | 'error';
  inBytes: number | null;
  outBytes: number | null;
  /** A tool's arguments; undefined until known. */
  input: unknown;
  /** What the model was given back; null until known. */
  output: string | null;
  /** Source of the fence around `output`; null for trusted text. */
  fence: string | null;
  /** The runtime's own words when a call could not run, and the code of a failed driver call. */
  error: string | null;
  code: string | null;
  tokens: Tokens | null;
  /** How a driver call ended: `tool_call`, `end_turn`, ... */
  decision: string | null;
  model: string | null;
  /** Characters left out by the caps of the sender. */
  cut: number;
  exitCode: number | null;
}
