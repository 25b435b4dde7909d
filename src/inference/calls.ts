import { randomBytes } from 'node:crypto';
import { isNestedTooDeep } from '../text/nesting.js';
import type { CallRefusal, ToolCall } from '../tools/call.js';
import { cutCharacters } from '../tools/excerpt.js';
import type { ContentBlock } from './message.js';

export type MintCallId = () => string;

/** A call id no provider made: `call_mur_` + 24 hex digits. */
export function randomCallId(): string {
  return `call_mur_${randomBytes(12).toString('hex')}`;
}

export interface ReadCalls {
  /** The blocks with every tool call fit to be sent back to any provider. */
  readonly content: readonly ContentBlock[];
  readonly calls: readonly ToolCall[];
}

/**
 * The tool calls of a response, each either runnable or refused, and the blocks to keep in the history.
 *
 * - Input that is no JSON object (a cut string, an array, null, a number, nothing) refuses the call: it is never replaced
 *   by `{}` and run (cases/reports row 56). A string that holds a JSON object is accepted, and handed on as it is.
 * - Only `stop_reason: tool_call` asks for calls. At `max_tokens` they may be cut short (row 58), at `end_turn` the driver
 *   contradicts itself; either way none runs.
 * - A missing, blank or repeated id is replaced by a minted one, in the call and in the block, so that every result pairs
 *   with exactly one call.
 *
 * Well-formed blocks are returned untouched. A mended block keeps its other keys; malformed input becomes `{}` in the
 * history only, because providers refuse a conversation that holds anything but an object there. The refusal quotes it.
 */
export function readCalls(
  content: readonly ContentBlock[],
  stopReason: 'tool_call' | 'end_turn' | 'max_tokens',
  mintCallId: MintCallId = randomCallId,
): ReadCalls {
  const calls: ToolCall[] = [];
  const seen = new Set<string>();
  const kept = content.map((block) => {
    if (block.type !== 'tool_call') return block;
    const id = typeof block.id === 'string' && block.id.trim() !== '' && !seen.has(block.id) ? block.id : mintCallId();
    seen.add(id);
    const named = typeof block.name === 'string' && block.name.trim() !== '';
    const name = named ? (block.name as string) : 'unnamed';
    const read = readInput(block.input);
    const refused =
      notAskedFor(stopReason) ??
      (named ? undefined : malformed('it names no tool')) ??
      (read.input === undefined ? malformed(`its input is not a JSON object (it is ${read.found})`) : undefined);
    calls.push({
      id,
      name,
      input: read.input ?? (isNestedTooDeep(block.input) ? undefined : block.input),
      inputText: read.text,
      ...(refused === undefined ? {} : { refused }),
    });
    const untouched = id === block.id && name === block.name && read.input !== undefined && read.input === block.input;
    return untouched ? block : { ...block, id, name, input: read.input ?? {} };
  });
  return { content: kept, calls };
}

interface ReadInput {
  /** Absent when the value is no object and holds none. */
  readonly input?: Readonly<Record<string, unknown>>;
  readonly text: string;
  /** What was there instead, for the refusal. */
  readonly found: string;
}

function readInput(value: unknown): ReadInput {
  if (isNestedTooDeep(value)) return { text: '', found: 'nested too deeply' };
  if (typeof value !== 'string') {
    const text = JSON.stringify(value) as string | undefined;
    if (text === undefined) return { text: '', found: 'missing' };
    return isObject(value) ? { input: value, text, found: '' } : { text, found: excerpt(text) };
  }
  try {
    const parsed: unknown = JSON.parse(value);
    if (isNestedTooDeep(parsed)) return { text: value, found: 'nested too deeply' };
    if (isObject(parsed)) return { input: parsed, text: value, found: '' };
  } catch {
    // Falls through: text that is no JSON is refused like JSON that is no object.
  }
  return { text: value, found: `the text ${excerpt(JSON.stringify(value))}` };
}

function notAskedFor(stopReason: string): CallRefusal | undefined {
  if (stopReason === 'tool_call') return undefined;
  if (stopReason === 'max_tokens') {
    return {
      kind: 'truncated',
      message:
        'This call was not run: the response was cut off at the output limit (max_tokens), so the call may be incomplete.',
    };
  }
  return {
    kind: 'unrequested',
    message: `This call was not run: the response ended with stop reason '${stopReason}', which asks for no tool.`,
  };
}

function malformed(reason: string): CallRefusal {
  return {
    kind: 'malformed',
    message: `This call was not run: ${reason}. Nothing was changed. Send it again with one complete JSON object as input.`,
  };
}

function excerpt(text: string): string {
  return cutCharacters(text, 200);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
