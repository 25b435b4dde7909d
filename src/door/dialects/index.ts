/**
 * The dialects of the door: one task model, several codecs, chosen per request (spec/door.md section 0).
 * Read next: pick.ts (who speaks), dialect.ts (what a codec is), murmur.ts, v03.ts, v1.ts (the codecs), standard.ts (what
 * the last two share), deliver.ts (where a message goes).
 */
import type { Dialect, Served } from './dialect.js';
import { murmur } from './murmur.js';
import type { DialectName } from './pick.js';
import { v1 } from './v1.js';
import { v03 } from './v03.js';

export const dialects: Readonly<Record<DialectName, Dialect>> = { mur: murmur, v03, v1 };

/** The methods that do something at a door, by the dialect that names them. */
export interface MethodNames extends Readonly<Record<DialectName, readonly string[]>> {
  /** Each name once: those of A2A 1.0, then the older ones. */
  readonly all: readonly string[];
}

export function servedMethods(served: Served): MethodNames {
  const names = { mur: murmur.methods(served), v03: v03.methods(served), v1: v1.methods(served) };
  return { ...names, all: [...new Set([...names.v1, ...names.mur, ...names.v03])] };
}

export type { Dialect, DialectAnswer, DialectContext, ExtendedCards, Served } from './dialect.js';
export { type DialectName, isVersionOne, pickDialect } from './pick.js';
export { taskObject } from './task-object.js';
export { v1State, v1Task } from './task-v1.js';
