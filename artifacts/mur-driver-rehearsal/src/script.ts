/**
 * The script a rehearsal plays: its shape and its check. Not its playing (play.ts). Unknown keys are errors, so a typo
 * in a manifest cannot silently change a demo or a test.
 */
import { DriverError } from '../../lib/conversation.js';
import { count, isObject, type Json, type JsonObject, kind, parse } from '../../lib/json.js';

export interface ScriptedCall {
  readonly tool: string;
  /** Sent as it is: anything but an object is a malformed call, on purpose. */
  readonly input: Json;
  readonly id: string | undefined;
}

export interface Turn {
  /** Texts that must each occur in the tool results since the last assistant message. */
  readonly expect: readonly string[];
  readonly think: string | undefined;
  readonly say: string | undefined;
  readonly calls: readonly ScriptedCall[];
  /** Pause before each streamed piece, in ms. */
  readonly delayMs: number;
  /** Fails the turn with this text, after what it streams. */
  readonly error: string | undefined;
  readonly stopReason: string | undefined;
  readonly usage: Json | undefined;
  readonly continuationId: string | undefined;
  /** The response text itself, JSON or not. */
  readonly raw: string | undefined;
  /** Traps the component, after what it streams. */
  readonly crash: boolean;
}

export interface Script {
  /** Turn n answers the request that holds n assistant messages; `repeat` is already unrolled. */
  readonly turns: readonly Turn[];
  /** After the last turn, start again; otherwise say that the script is over. */
  readonly loop: boolean;
}

const scriptKeys = ['turns', 'loop', 'delay_ms'];
const turnKeys = [
  'expect',
  'think',
  'say',
  'call',
  'delay_ms',
  'repeat',
  'error',
  'stop_reason',
  'usage',
  'continuation_id',
  'raw',
  'crash',
];
const callKeys = ['tool', 'input', 'id'];
const maxTurns = 10_000;

/** The script in `config` (JSON text), or `undefined` when there is none. Throws `DriverError` naming the key at fault. */
export function readScript(config: string | undefined): Script | undefined {
  if (config === undefined || config.trim() === '') return undefined;
  const body = parse(config);
  if (!isObject(body)) fail('config', `must be a mapping, got ${kind(body)}`);
  known(body, 'config', scriptKeys);
  if (!Array.isArray(body.turns) || body.turns.length === 0) {
    fail('config.turns', `must be a list with at least one turn, got ${kind(body.turns)}`);
  }
  const delayMs = number(body, 'config', 'delay_ms', 0);
  const turns = body.turns.flatMap((turn, index) => readTurn(turn, `config.turns[${index}]`, delayMs));
  if (turns.length > maxTurns) fail('config.turns', `must have at most ${maxTurns} turns, repeats included`);
  return { turns, loop: flag(body, 'config', 'loop') };
}

function readTurn(value: Json, where: string, delayMs: number): Turn[] {
  if (!isObject(value)) fail(where, `must be a mapping, got ${kind(value)}`);
  known(value, where, turnKeys);
  const turn: Turn = {
    expect: expectations(value.expect, `${where}.expect`),
    think: text(value, where, 'think'),
    say: text(value, where, 'say'),
    calls: calls(value.call, `${where}.call`),
    delayMs: number(value, where, 'delay_ms', delayMs),
    error: text(value, where, 'error'),
    stopReason: text(value, where, 'stop_reason'),
    usage: value.usage,
    continuationId: text(value, where, 'continuation_id'),
    raw: text(value, where, 'raw'),
    crash: flag(value, where, 'crash'),
  };
  const repeat = number(value, where, 'repeat', 1);
  if (repeat < 1 || repeat > maxTurns) fail(`${where}.repeat`, `must be between 1 and ${maxTurns}, got ${repeat}`);
  return new Array<Turn>(repeat).fill(turn);
}

function calls(value: Json | undefined, where: string): ScriptedCall[] {
  if (value === undefined) return [];
  return (Array.isArray(value) ? value : [value]).map((call, index) => {
    const here = Array.isArray(value) ? `${where}[${index}]` : where;
    if (!isObject(call)) fail(here, `must be a mapping with tool and input, got ${kind(call)}`);
    known(call, here, callKeys);
    const tool = text(call, here, 'tool');
    if (!tool) fail(`${here}.tool`, 'must name a tool');
    return { tool, input: call.input === undefined ? {} : call.input, id: text(call, here, 'id') };
  });
}

function expectations(value: Json | undefined, where: string): string[] {
  if (value === undefined) return [];
  return (Array.isArray(value) ? value : [value]).map((item) => {
    if (typeof item !== 'string' || item === '') fail(where, `must be a text or a list of texts, got ${kind(item)}`);
    return item;
  });
}

function known(value: JsonObject, where: string, keys: readonly string[]): void {
  const odd = Object.keys(value).find((key) => !keys.includes(key));
  if (odd !== undefined) fail(`${where}.${odd}`, `is not a key; expected one of ${keys.join(', ')}`);
}

function text(value: JsonObject, where: string, key: string): string | undefined {
  const found = value[key];
  if (found === undefined) return undefined;
  if (typeof found !== 'string') fail(`${where}.${key}`, `must be a text, got ${kind(found)}`);
  return found;
}

function flag(value: JsonObject, where: string, key: string): boolean {
  const found = value[key];
  if (found !== undefined && typeof found !== 'boolean')
    fail(`${where}.${key}`, `must be true or false, got ${kind(found)}`);
  return found === true;
}

function number(value: JsonObject, where: string, key: string, otherwise: number): number {
  const found = value[key];
  if (found === undefined) return otherwise;
  const number = count(found);
  if (number === undefined)
    fail(`${where}.${key}`, `must be a whole number of at least 0, got ${JSON.stringify(found)}`);
  return number;
}

function fail(where: string, rule: string): never {
  throw new DriverError(`rehearsal script: ${where} ${rule}`);
}
