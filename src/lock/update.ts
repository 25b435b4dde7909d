import { randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  fchmodSync,
  fsyncSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { ioError } from '../home/failure.js';
import { exclusively, removeIfAbandoned } from './exclusive.js';
import { lockFileName, readLockText } from './file.js';
import { parseLock } from './parse.js';
import { upsert } from './pin.js';
import { serializeLock } from './serialize.js';
import type { Lock, PinRequest } from './types.js';

const heldName = `.${lockFileName}.held`;
/** A change takes milliseconds; a process that waits this long waits for one that is stopped. */
const waitMs = 30_000;

const empty: Lock = { artifacts: [] };

/**
 * Changes the lock of the project in `dir` and returns it as it is then; a missing one counts as empty. One process at a time
 * reads, changes and writes. Readers see the lock from before or after, also across a crash or a loss of power. When `change`
 * throws, or changes nothing, nothing is written. What must not come apart from the pin, as the bytes it pins, is done in `change`.
 */
export function updateLock(dir: string, change: (lock: Lock) => Lock | Promise<Lock>): Promise<Lock> {
  return rewrite(dir, waitMs, async (lock) => {
    const before = lock ?? empty;
    const after = await change(before);
    return after === before ? undefined : after;
  });
}

/** Writes a lock of `pins` for a project that has none yet; does nothing when another process made one first. */
export function createLock(dir: string, pins: readonly PinRequest[], limitMs = waitMs): Promise<Lock> {
  return rewrite(dir, limitMs, async (lock) => (lock === undefined ? pins.reduce(upsert, empty) : undefined));
}

/** `change` answers `undefined` to leave everything as it is. */
function rewrite(
  dir: string,
  limitMs: number,
  change: (lock: Lock | undefined) => Promise<Lock | undefined>,
): Promise<Lock> {
  const held = join(dir, heldName);
  return exclusively(held, limitMs, async () => {
    await removeLeftovers(dir, limitMs);
    const path = join(dir, lockFileName);
    const before = readLockText(dir);
    const lock = before === undefined ? undefined : parseLock(before, path);
    const changed = await change(lock);
    if (changed === undefined) return lock ?? empty;
    const text = serializeLock(changed);
    // Nothing is written that could not be read again.
    const after = parseLock(text, path);
    if (text !== before) replace(dir, path, text);
    return after;
  });
}

/** What a crash left. Only who holds the lock makes these files, so none of them is in use now. */
async function removeLeftovers(dir: string, limitMs: number): Promise<void> {
  for (const name of readdirSync(dir)) {
    if (/^\.murmur\.lock\.[0-9a-f]{16}\.tmp$/.test(name)) rmSync(join(dir, name), { force: true });
    else if (name.startsWith(`${heldName}.`)) await removeIfAbandoned(join(dir, name), limitMs);
  }
}

/** Replaces the file in one step, with its mode. A link of that name is replaced, not followed. */
function replace(dir: string, path: string, text: string): void {
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW, O_RDONLY, O_DIRECTORY } = constants;
  const staged = join(dir, `.${lockFileName}.${randomBytes(8).toString('hex')}.tmp`);
  const mode = statSync(path, { throwIfNoEntry: false })?.mode;
  try {
    try {
      write(openSync(staged, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o666), (fd) => {
        writeFileSync(fd, text);
        if (mode !== undefined) fchmodSync(fd, mode & 0o777);
        fsyncSync(fd);
      });
      renameSync(staged, path);
    } catch (error) {
      rmSync(staged, { force: true });
      throw error;
    }
    write(openSync(dir, O_RDONLY | O_DIRECTORY), fsyncSync);
  } catch (error) {
    throw ioError('cannot write', path, error);
  }
}

function write(fd: number, use: (fd: number) => void): void {
  try {
    use(fd);
  } finally {
    closeSync(fd);
  }
}
