/**
 * The frames of a door (spec/door.md 15.2) as lines for a person (15.6) or a program. What a capsule says is untrusted: its text is made
 * safe and indented, so that none of it passes for a line of ours.
 */
import type { ServerEvent } from '../door-client/index.js';
import { block, oneLine } from './safe-text.js';
import type { Style } from './style.js';

/** A frame, read. `data` has no fields when it was no JSON object. */
export interface Frame {
  readonly id?: number;
  readonly event: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export function frameOf({ id, event, data }: ServerEvent): Frame {
  const number = id === undefined ? Number.NaN : Number(id);
  return { ...(Number.isSafeInteger(number) ? { id: number } : {}), event, data: objectIn(data) };
}

/** One line for a program. */
export function frameJson({ id, event, data }: Frame): string {
  return JSON.stringify({ id, event, data });
}

/** What a reader wants of the frames. */
export interface FrameViewOptions {
  /** Frames of several tasks come: a line says where another one's begin. */
  readonly namesTasks?: boolean;
  /** Lines of one tool result that are shown, for a person who reads along; the rest is counted. */
  readonly resultLines?: number;
}

/** What a door says of every task that has completed (spec/door.md 15.3). A person would read that the session is gone. */
const completedMessage = 'session ended';

/** What fits on a screen beside everything else. */
export const resultLinesOnScreen = 12;

/** Prints frames as they come. Text is shown while it is written, in lines of its own. */
export class FrameView {
  readonly #write: (text: string) => void;
  readonly #style: Style;
  readonly #namesTasks: boolean;
  readonly #resultLines: number;
  #isInLine = false;
  /** Empty lines of a text that goes on: shown when something follows them. */
  #emptyLines: number | undefined;
  #taskId = '';

  constructor(write: (text: string) => void, style: Style, options: FrameViewOptions = {}) {
    this.#write = write;
    this.#style = style;
    this.#namesTasks = options.namesTasks === true;
    this.#resultLines = options.resultLines ?? Number.POSITIVE_INFINITY;
  }

  show({ event, data }: Frame): void {
    if (this.#namesTasks) this.#nameTask(textOf(data.id));
    if (event === 'text') this.#text(textOf(data.text), data.final === true);
    this.#print(this.#lines(event, data));
  }

  #lines(event: string, data: Frame['data']): string[] {
    switch (event) {
      case 'status':
        return this.#status(data);
      case 'artifact':
        return this.#artifact(data);
      case 'tool-call-started':
        return [`${this.#style.cyan('[calling]')}  ${oneLine(textOf(data.tool_name))}`];
      default:
        return [];
    }
  }

  #print(lines: readonly string[]): void {
    if (lines.length === 0) return;
    this.end();
    this.#emptyLines = undefined;
    this.#write(`${lines.join('\n')}\n`);
  }

  #nameTask(id: string): void {
    if (id === '' || id === this.#taskId) return;
    this.#taskId = id;
    this.#print([this.#style.dim(`[task]  ${oneLine(id)}`)]);
  }

  /** Ends a line that is still open. */
  end(): void {
    if (this.#isInLine) this.#write('\n');
    this.#isInLine = false;
  }

  #text(text: string, isLast: boolean): void {
    const lines = block(text).split('\n');
    for (const [index, line] of lines.entries()) {
      if (index > 0 && !this.#isInLine && this.#emptyLines !== undefined) this.#emptyLines += 1;
      if (index > 0) this.end();
      if (line === '') continue;
      this.#write(this.#isInLine ? line : `${'\n'.repeat(this.#emptyLines ?? 0)}  ${line}`);
      this.#isInLine = true;
      this.#emptyLines = 0;
    }
    if (!isLast) return;
    this.end();
    this.#emptyLines = undefined;
  }

  #status({ status }: Frame['data']): string[] {
    const { state, message } = fields(status);
    const word = oneLine(textOf(state));
    const paint = { completed: this.#style.green, failed: this.#style.red, rejected: this.#style.red }[word];
    const said = word === 'completed' && message === completedMessage ? '' : oneLine(textOf(message));
    return [`${(paint ?? this.#style.yellow)(`[${word}]`)}  ${said}`.trimEnd()];
  }

  #artifact({ artifact }: Frame['data']): string[] {
    const { tool_name, content, is_error, exit_code, duration_ms, truncated } = fields(artifact);
    const facts = [
      ...(typeof is_error === 'boolean' ? [is_error ? 'error' : 'ok'] : []),
      ...(typeof exit_code === 'number' ? [`exit ${exit_code}`] : []),
      ...(typeof duration_ms === 'number' ? [`${Math.round(duration_ms)}ms`] : []),
      ...(truncated === true ? ['truncated'] : []),
    ];
    const outcome = facts.length === 0 ? '' : ` [${facts.join(', ')}]`;
    const [first = '', ...rest] = block(textOf(content)).trimEnd().split('\n');
    const head = `${this.#style.cyan('[artifact]')} tool: ${oneLine(textOf(tool_name))}${outcome} | ${first}`;
    const shown = rest.slice(0, this.#resultLines - 1).map((line) => `  ${line}`);
    const left = rest.length - shown.length;
    return [
      head,
      ...shown,
      ...(left > 0 ? [this.#style.dim(`  ... ${left} more ${left === 1 ? 'line' : 'lines'}`)] : []),
    ];
  }
}

/** What the reader of a stream must know of it: events it will not see. `undefined` for every other frame. */
export function lossOf({ event, data }: Frame): string | undefined {
  if (event === 'lagged') return `this reader was too slow: ${Number(data.missed)} events were skipped`;
  if (event === 'gap') return `earlier events are no longer held: the first one is ${Number(data.first_available_id)}`;
  return undefined;
}

/** The task a frame is about, its state where the frame says it, and whether it is the last one. */
export function taskIn({ event, data }: Frame): {
  readonly id?: string;
  readonly state?: string;
  readonly isLast: boolean;
} {
  const { state } = fields(event === 'status' ? data.status : undefined);
  return {
    ...(typeof data.id === 'string' && { id: data.id }),
    ...(typeof state === 'string' && { state }),
    isLast: event === 'status' && (data.final === true || state === 'input-required'),
  };
}

function objectIn(text: string): Frame['data'] {
  try {
    return fields(JSON.parse(text));
  } catch {
    return {};
  }
}

function fields(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : {};
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
