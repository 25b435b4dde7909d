/**
 * A recorded session as one file that can be sent to somebody: a `.murbundle`. Reading and the order of its lines; what is taken out
 * before it is written is the business of whoever exports (src/cli/replay-export.ts).
 *
 * JSON lines. First `{format: "mur-bundle", version, session_id, mur, exported_at, left_out}`, then one line per thing:
 * `{section: "manifest", name, text}`, `{section: "events", line}`, `{section: "trace", line}` and
 * `{section: "conversation", context, line}`, each `line` as it is in the file it came from, then `{section: "end", lines}`.
 *
 * An event whose text had to be changed may lead elsewhere than it did. From the first such event on, the entries of its machine have
 * no hashes, so that verifying a bundle says "not compared" there and never a difference that was none.
 */
import { statSync } from 'node:fs';
import { MurError } from '../errors/index.js';
import { type JsonLine, readJsonLines } from '../text/index.js';
import { murVersion } from '../version.js';
import { eventLogItems, type LoggedEvent, rootPath } from './log.js';
import { type ReplayOptions, replayOf } from './replay.js';
import type { Replay } from './types.js';

const format = 'mur-bundle';
const version = 1;

export type JsonObject = Readonly<Record<string, unknown>>;

export interface BundleHeader {
  readonly format: typeof format;
  readonly version: number;
  readonly session_id: string;
  readonly mur: string;
  /** Unix milliseconds. */
  readonly exported_at: number;
  /**
   * What the session kept and the bundle does not have: the bodies of requests and responses (`trace.capture: content`). They are
   * verbatim by design, so there is nothing in them that could be trusted to be clean. Absent when there were none.
   */
  readonly left_out?: { readonly blobs: LeftOut };
}

export interface LeftOut {
  readonly files: number;
  readonly bytes: number;
}

/** What goes into a bundle, as it is on the disk. */
export interface BundleSource {
  readonly sessionId: string;
  readonly exportedAt: number;
  /** Bodies that stay behind. */
  readonly blobs?: LeftOut;
  readonly manifest?: { readonly name: string; readonly text: string };
  readonly events: Iterable<JsonObject>;
  readonly trace: Iterable<JsonObject>;
  readonly conversations: Iterable<{ readonly context: string; readonly line: JsonObject }>;
}

/** How things are made fit to be sent. */
export interface Scrub {
  readonly text: (text: string) => string;
  readonly value: (value: JsonObject) => JsonObject;
}

/** The lines of a bundle, without their line feeds. */
export function* bundleLines(source: BundleSource, scrub: Scrub): Generator<string> {
  let lines = 0;
  const section = (name: string, rest: object): string => {
    lines += 1;
    return JSON.stringify({ section: name, ...rest });
  };
  const header: BundleHeader = {
    ...{ format, version, session_id: source.sessionId, mur: murVersion, exported_at: source.exportedAt },
    ...(source.blobs === undefined || source.blobs.files === 0 ? {} : { left_out: { blobs: source.blobs } }),
  };
  yield JSON.stringify(header);
  if (source.manifest !== undefined) {
    yield section('manifest', { name: scrub.text(source.manifest.name), text: scrub.text(source.manifest.text) });
  }
  for (const line of scrubbedEvents(source.events, scrub)) yield section('events', { line });
  for (const line of source.trace) yield section('trace', { line: scrub.value(line) });
  for (const { context, line } of source.conversations) {
    yield section('conversation', { context: scrub.text(context), line: scrub.value(line) });
  }
  yield JSON.stringify({ section: 'end', lines });
}

function* scrubbedEvents(events: Iterable<JsonObject>, scrub: Scrub): Generator<JsonObject> {
  const changed = new Set<string>();
  for (const line of events) {
    const shown = scrub.value(line);
    const isChanged = JSON.stringify(shown) !== JSON.stringify(line);
    if (!('ev' in line)) {
      // A keyframe with a gap in it would bring a state back that never was.
      if (!isChanged || !('machines' in line)) yield shown;
      continue;
    }
    const { path = rootPath, run = 1 } = line as unknown as LoggedEvent;
    const machine = `${path}#${run}`;
    if (isChanged) changed.add(machine);
    if (!changed.has(machine)) {
      yield shown;
      continue;
    }
    const { h: _h, r: _r, ...rest } = shown;
    yield rest;
  }
}

export interface Bundle {
  readonly header: BundleHeader;
  readonly manifest: { readonly name: string; readonly text: string } | undefined;
  readonly trace: readonly JsonObject[];
  readonly conversations: readonly { readonly context: string; readonly line: JsonObject }[];
  /** The lines of `events.jsonl`. */
  readonly events: readonly JsonObject[];
  readonly warnings: readonly string[];
  /** Throws what `openReplay` throws. */
  replay(options?: ReplayOptions): Replay;
}

/** True when the file begins like a bundle. */
export function isBundle(path: string): boolean {
  try {
    if (!statSync(path).isFile()) return false;
    for (const item of readJsonLines(path)) return item.kind === 'value' && item.value.format === format;
  } catch {
    // Whoever opens it will say why it cannot be read.
  }
  return false;
}

/** A bundle, as far as it is whole. `E-IO-001` when there is none, `E-TRC-001` for another file. Everything in it is untrusted. */
export function readBundle(path: string): Bundle {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) {
    throw new MurError('E-IO-001', `there is no bundle at ${path}`);
  }
  let header: BundleHeader | undefined;
  let manifest: Bundle['manifest'];
  const events: JsonObject[] = [];
  const trace: JsonObject[] = [];
  const conversations: { readonly context: string; readonly line: JsonObject }[] = [];
  const warnings: string[] = [];
  let isWhole = false;
  for (const item of readJsonLines(path)) {
    if (item.kind === 'warning') {
      warnings.push(`line ${item.line}: ${item.reason}`);
      continue;
    }
    const { value } = item;
    if (header === undefined) {
      if (!isHeader(value)) break;
      header = value;
      continue;
    }
    const { section, line, context, name, text } = value;
    if (section === 'manifest' && typeof name === 'string' && typeof text === 'string') manifest = { name, text };
    else if (section === 'events' && isObject(line)) events.push(line);
    else if (section === 'trace' && isObject(line)) trace.push(line);
    else if (section === 'conversation' && isObject(line)) conversations.push({ context: String(context), line });
    else if (section === 'end') isWhole = true;
    else warnings.push(`line ${item.line}: not a line of a bundle`);
  }
  if (header === undefined) throw new MurError('E-TRC-001', `${path} is no bundle of a session`);
  if (!isWhole) warnings.push('the bundle is cut short');
  return {
    ...{ header, manifest, trace, conversations, events, warnings },
    replay: (options) => replayOf(eventLogItems(valuesOf(events)), options, path),
  };
}

function* valuesOf(lines: readonly JsonObject[]): Generator<JsonLine> {
  for (const [index, value] of lines.entries())
    yield { kind: 'value', line: index + 1, value, text: JSON.stringify(value) };
}

function isHeader(value: JsonObject): value is JsonObject & BundleHeader {
  return value.format === format && typeof value.session_id === 'string';
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
