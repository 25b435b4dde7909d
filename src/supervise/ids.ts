import { randomFillSync } from 'node:crypto';

export type IdPrefix = 'ses' | 'tsk' | 'ctx' | 'msg' | 'evt' | 'wrk' | 'dlg' | 'mcl' | 'frm' | 'prc' | 'req';

let lastMs = 0;
let sequence = 0;

/**
 * A fresh id: `<prefix>_` + 32 lowercase hex digits of a UUIDv7 (RFC 9562, section 5.7).
 *
 * Ids minted by one process sort in mint order, also within one millisecond and when the wall clock steps back: the twelve
 * bits after the version are a counter (section 6.2, method 1).
 */
export function mintId(prefix: IdPrefix, nowMs: number = Date.now()): string {
  if (nowMs > lastMs) {
    lastMs = nowMs;
    sequence = take(1)[0]!;
  } else {
    sequence += 1;
    if (sequence > 0xfff) {
      lastMs += 1;
      sequence = 0;
    }
  }
  const tail = take(8);
  tail[0] = 0x80 | (tail[0]! & 0x3f);
  const time = lastMs.toString(16).padStart(12, '0');
  const counter = sequence.toString(16).padStart(3, '0');
  return `${prefix}_${time}7${counter}${tail.toString('hex')}`;
}

const pool = Buffer.alloc(1_024);
let taken = pool.length;

/** That many random bytes, each handed out once. The kernel is asked for many at a time: it takes as long as all the rest of an id. */
function take(count: number): Buffer {
  if (taken + count > pool.length) {
    randomFillSync(pool);
    taken = 0;
  }
  taken += count;
  return pool.subarray(taken - count, taken);
}

const idPattern = /^[a-z]{3}_[0-9a-f]{32}$/;

/** True when `text` is a complete id with that prefix. */
export function isId(prefix: IdPrefix, text: string): boolean {
  return text.startsWith(`${prefix}_`) && idPattern.test(text);
}

/** Unix milliseconds inside an id made by `mintId`; `undefined` for other text. */
export function idTimeMs(id: string): number | undefined {
  return idPattern.test(id) ? Number.parseInt(id.slice(4, 16), 16) : undefined;
}
