import { reasonOf } from '../../errors/index.js';
import type { Frame, FrameType } from '../frame.js';

type Fields = Readonly<Record<string, unknown>>;

const isText = (value: unknown): value is string => typeof value === 'string';
const isNumber = (value: unknown): value is number => typeof value === 'number';
const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** What every reader of a frame relies on; the rest may be anything. */
const shapes: { readonly [T in FrameType]: (frame: Fields) => boolean } = {
  hello: ({ v }) => v === 1,
  session: ({ capsule, liveness, at }) => isObject(capsule) && isObject(liveness) && isNumber(at),
  def: ({ key, id, chart }) => isText(key) && isText(id) && isObject(chart),
  actor: ({ id, name, snap, at }) => isText(id) && isText(name) && isSnap(snap) && isNumber(at),
  ev: ({ to, ev, at }) => isText(to) && isObject(ev) && isText(ev.type) && isNumber(at),
  snap: ({ id, snap, by, tr, at }) => isText(id) && isSnap(snap) && isText(by) && Array.isArray(tr) && isNumber(at),
  gone: ({ id, at }) => isText(id) && isNumber(at),
  trace: ({ line, at }) => isObject(line) && isText(line.event_type) && isNumber(at),
  note: ({ note, at }) => isObject(note) && isText(note.type) && isNumber(at),
  message: ({ message, at }) =>
    isObject(message) && isText(message.id) && Array.isArray(message.content) && isNumber(at),
  synced: ({ at }) => isNumber(at),
  lost: ({ ev, snap, other }) => isNumber(ev) && isNumber(snap) && isNumber(other),
};

function isSnap(value: unknown): boolean {
  return isObject(value) && isText(value.s);
}

/**
 * The frames of one message of a session. Throws, saying which frame is wrong, at a message that no hub of ours sends: what listens at
 * the address of a record may be anything. A type that is not known here is one of a newer mur, and passes. A session speaks for nobody
 * but itself.
 */
export function decodeFrames(message: string, sys: string): readonly Frame[] {
  const frames = parsed(message);
  for (const [index, frame] of frames.entries()) {
    const problem = problemOf(frame, sys);
    if (problem !== undefined) throw new Error(`frame ${index + 1} of a message ${problem}`);
  }
  return frames as readonly Frame[];
}

function parsed(message: string): readonly unknown[] {
  let value: unknown;
  try {
    value = JSON.parse(message);
  } catch (error) {
    throw new Error(`a message is no JSON: ${reasonOf(error).slice(0, 100)}`);
  }
  if (!Array.isArray(value)) throw new Error('a message is no list of frames');
  return value;
}

function problemOf(frame: unknown, sys: string): string | undefined {
  if (!isObject(frame) || !isText(frame.type)) return 'has no type';
  if (!isNumber(frame.q)) return 'has no number';
  if (frame.sys !== undefined && frame.sys !== sys) return 'speaks of another session';
  if (!Object.hasOwn(shapes, frame.type)) return undefined;
  const type = frame.type as FrameType;
  if (frame.sys === undefined && type !== 'hello' && type !== 'def') return `is a '${type}' of no session`;
  return shapes[type](frame) ? undefined : `is not what a '${type}' is`;
}
