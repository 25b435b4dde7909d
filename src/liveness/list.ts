/**
 * Reading the directory of running records. No network, and no verdict about processes: that is verify.ts and sweep.ts.
 */
import { closeSync, constants, fstatSync, openSync, readdirSync, readSync } from 'node:fs';
import { extname, join } from 'node:path';
import { MurError } from '../errors/index.js';
import { ensurePrivateDirectory, locateMurmurHome, type MurmurHome } from '../home/index.js';
import { errnoName, osReason } from './os-error.js';
import { parseRecord } from './parse.js';
import { isUnlinked } from './siblings.js';
import type { ListedRecord, Listing, RunningRecord, Scan } from './types.js';

/** No record of any version comes near. Without a limit, one file could fill a reader's memory. */
const recordLimitBytes = 1024 * 1024;

/** Where records are. Makes and changes nothing. `E-IO-001` when `HOME` is unset or not absolute. */
export function runningDirLocation(env?: Readonly<Record<string, string | undefined>>): string {
  return locateMurmurHome(env).running;
}

/**
 * Every record, newest session first. The directory and the home above it are made if missing and held at 0700. A file that
 * is no record is removed on the way past: nothing could ever verify it. One that this process may not or cannot read is kept.
 * An unusable directory is `E-RUN-028`, never an empty list, and then nothing is removed.
 */
export function listRecords(home: MurmurHome): Listing {
  for (const directory of [home.root, home.running]) {
    try {
      ensurePrivateDirectory(directory);
    } catch (error) {
      throw unusable(directory, error);
    }
  }
  const { records, malformed, unread } = readDirectory(home.running);
  return {
    records,
    pruned: malformed.filter((name) => isUnlinked(join(home.running, name))),
    unreadable: unread,
  };
}

/** The same reading without any effect. A missing directory is an empty machine. */
export function scanRecords(directory: string): Scan {
  const { records, malformed, unread } = readDirectory(directory, { missingIsEmpty: true });
  return { records, unreadable: [...malformed, ...unread] };
}

/** The record in one file: what is read again before it is removed. */
export function readRecord(path: string): FileReading {
  let fd: number;
  try {
    // Without waiting for a FIFO's writer, and without following a link out of a directory we hold private.
    fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK | constants.O_NOCTTY);
  } catch (error) {
    const name = errnoName(error) ?? '';
    return { found: name === 'ENOENT' ? 'nothing' : notAFile.has(name) ? 'malformed' : 'unread' };
  }
  try {
    const bytes = contentOf(fd);
    const record = bytes && parseRecord(bytes);
    return record === undefined ? { found: 'malformed' } : { found: 'record', record };
  } catch {
    return { found: 'unread' };
  } finally {
    closeSync(fd);
  }
}

/**
 * `malformed`: it was read, and is no record. `unread`: the reading failed, which says nothing about the file. `nothing`: another
 * reader, or its session, removed it.
 */
export type FileReading =
  | { readonly found: 'record'; readonly record: RunningRecord }
  | { readonly found: 'malformed' | 'unread' | 'nothing' };

/** A link, and a socket or a device nobody serves. */
const notAFile = new Set(['ELOOP', 'EMLINK', 'ENXIO']);

/** `undefined` for what is not a regular file, or larger than a record can be. */
function contentOf(fd: number): Buffer | undefined {
  const facts = fstatSync(fd);
  if (!facts.isFile() || facts.size > recordLimitBytes) return undefined;
  const buffer = Buffer.allocUnsafe(facts.size);
  let filled = 0;
  while (filled < buffer.length) {
    const got = readSync(fd, buffer, filled, buffer.length - filled, null);
    if (got === 0) break;
    filled += got;
  }
  return buffer.subarray(0, filled);
}

interface Reading {
  readonly records: ListedRecord[];
  readonly malformed: string[];
  readonly unread: string[];
}

function readDirectory(directory: string, { missingIsEmpty = false } = {}): Reading {
  const reading: Reading = { records: [], malformed: [], unread: [] };
  for (const file of namesIn(directory, missingIsEmpty)) {
    const read = readRecord(join(directory, file));
    if (read.found === 'record') reading.records.push({ ...read.record, file });
    else if (read.found !== 'nothing') reading[read.found].push(file);
  }
  // Session ids begin with their time.
  reading.records.sort((a, b) => (a.session_id < b.session_id ? 1 : a.session_id > b.session_id ? -1 : 0));
  return reading;
}

function namesIn(directory: string, missingIsEmpty: boolean): string[] {
  try {
    return readdirSync(directory).filter((name) => extname(name) === '.json');
  } catch (error) {
    if (missingIsEmpty && errnoName(error) === 'ENOENT') return [];
    throw unusable(directory, error);
  }
}

function unusable(path: string, error: unknown): MurError {
  return new MurError('E-RUN-028', `the running-capsule records could not be read: ${path}: ${osReason(error)}`, {
    cause: error,
  });
}
