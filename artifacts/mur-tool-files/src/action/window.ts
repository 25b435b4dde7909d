/** Picks a run of lines out of a text that arrives in pieces, without holding more than the run. Pure. */
import { byteLength } from '../../../lib/utf8.js';

export interface WindowLimits {
  /** First line wanted, from 1. */
  readonly offset: number;
  readonly lines: number;
  readonly bytes: number;
}

export interface Window {
  readonly text: string;
  /** Lines shown, from `offset` on. */
  readonly shown: number;
  /** More text follows behind the shown lines. */
  readonly more: boolean;
  /** The last line shown was cut: it alone is longer than the byte limit. */
  readonly cut: boolean;
  /** Lines seen; the file's own count when `more` is false. */
  readonly seen: number;
}

/** The window of `pieces`; stops reading them as soon as it knows. Whole lines only, except a single oversized one. */
export function windowOf(pieces: Iterable<string>, limits: WindowLimits): Window {
  const end = limits.offset + limits.lines;
  const kept: string[] = [];
  let line = 1;
  let partial = '';
  let started = false;
  let bytes = 0;
  const window = (more: boolean, cut = false): Window => ({
    text: kept.join(''),
    shown: kept.length,
    more,
    cut,
    seen: started ? line : line - 1,
  });

  for (const piece of pieces) {
    for (const part of piece.match(/[^\n]*\n|[^\n]+/g) ?? []) {
      if (line >= end) return window(true);
      started = true;
      if (line >= limits.offset) {
        partial += part;
        if (bytes + byteLength(partial) > limits.bytes) {
          if (kept.length > 0) return window(true);
          kept.push(prefix(partial, limits.bytes));
          return window(true, true);
        }
      }
      if (!part.endsWith('\n')) continue;
      if (line >= limits.offset) {
        kept.push(partial);
        bytes += byteLength(partial);
        partial = '';
      }
      line++;
      started = false;
    }
  }
  if (partial !== '') kept.push(partial);
  return window(false);
}

/** The longest prefix of `text` with at most `limit` UTF-8 bytes. */
export function prefix(text: string, limit: number): string {
  let bytes = 0;
  let at = 0;
  for (const character of text) {
    bytes += byteLength(character);
    if (bytes > limit) break;
    at += character.length;
  }
  return text.slice(0, at);
}
