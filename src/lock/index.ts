/**
 * `murmur.lock`: which bytes a project runs with (spec/artifacts.md section 7). Reads, checks, changes and writes it. Not where
 * artifacts lie (src/artifacts) and not the check of what was resolved (src/stage/lock.ts).
 * Read next: types.ts, parse.ts (what a lock must be), pin.ts (how it changes), update.ts (how it is written).
 */
export { type ExpectedAt, expectationOf, expectationsOf, missingEntry, versionMismatch } from './expectation.js';
export { lockFileName, readLock } from './file.js';
export { parseLock } from './parse.js';
export { adoptedBy, conflictOf, pin, repin, unpin, upsert } from './pin.js';
export { serializeLock } from './serialize.js';
export type { Lock, LockEntry, LockExpectation, LockHash, LockOrigin, PinRequest } from './types.js';
export { createLock, updateLock } from './update.js';
