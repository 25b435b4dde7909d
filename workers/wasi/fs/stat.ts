import { createHmac, randomBytes } from 'node:crypto';
import type { BigIntStats } from 'node:fs';
import type { Datetime } from '../clocks.js';
import { fail } from './errors.js';

export type DescriptorType =
  | 'unknown'
  | 'block-device'
  | 'character-device'
  | 'directory'
  | 'fifo'
  | 'symbolic-link'
  | 'regular-file'
  | 'socket';

/** `wasi:filesystem/types#descriptor-stat`. */
export interface DescriptorStat {
  readonly type: DescriptorType;
  readonly linkCount: bigint;
  readonly size: bigint;
  readonly dataAccessTimestamp: Datetime | undefined;
  readonly dataModificationTimestamp: Datetime | undefined;
  readonly statusChangeTimestamp: Datetime | undefined;
}

/** `wasi:filesystem/types#new-timestamp`. */
export type NewTimestamp =
  | { readonly tag: 'no-change' }
  | { readonly tag: 'now' }
  | { readonly tag: 'timestamp'; readonly val: Datetime };

interface Typed {
  isFile(): boolean;
  isDirectory(): boolean;
  isSymbolicLink(): boolean;
  isBlockDevice(): boolean;
  isCharacterDevice(): boolean;
  isFIFO(): boolean;
  isSocket(): boolean;
}

export function typeOf(entry: Typed): DescriptorType {
  if (entry.isFile()) return 'regular-file';
  if (entry.isDirectory()) return 'directory';
  if (entry.isSymbolicLink()) return 'symbolic-link';
  if (entry.isFIFO()) return 'fifo';
  if (entry.isSocket()) return 'socket';
  if (entry.isCharacterDevice()) return 'character-device';
  if (entry.isBlockDevice()) return 'block-device';
  return 'unknown';
}

export function descriptorStat(stat: BigIntStats): DescriptorStat {
  return {
    type: typeOf(stat),
    linkCount: stat.nlink,
    size: stat.size,
    dataAccessTimestamp: datetime(stat.atimeNs),
    dataModificationTimestamp: datetime(stat.mtimeNs),
    statusChangeTimestamp: datetime(stat.ctimeNs),
  };
}

/** A time before 1970 has no form in the interface and is left out. */
function datetime(ns: bigint): Datetime | undefined {
  if (ns < 0n) return undefined;
  return { seconds: ns / 1_000_000_000n, nanoseconds: Number(ns % 1_000_000_000n) };
}

/** Seconds for utimes. Node takes a double, so what is set may be off by less than a microsecond. */
export function secondsOf(wanted: NewTimestamp, currentNs: bigint): number {
  if (wanted.tag === 'now') return Date.now() / 1000;
  if (wanted.tag === 'no-change') return Number(currentNs) / 1e9;
  if (wanted.val.nanoseconds >= 1_000_000_000) fail('invalid');
  return Number(wanted.val.seconds) + wanted.val.nanoseconds / 1e9;
}

// Keyed, so that a guest can compare two files but learns no inode number of this machine.
const hashKey = randomBytes(32);

/** `metadata-hash`: equal for the same file, on one machine, for the life of this thread. */
export function metadataHash(stat: BigIntStats): { lower: bigint; upper: bigint } {
  const digest = createHmac('sha256', hashKey).update(`${stat.dev}:${stat.ino}`).digest();
  return { lower: digest.readBigUInt64LE(0), upper: digest.readBigUInt64LE(8) };
}
