import type { Sighting } from '../home/index.js';
import { koffi } from './native.js';

/** `PROC_PIDTBSDINFO`, and the `struct proc_bsdinfo` it fills (sys/proc_info.h). */
const flavor = 3;
const structBytes = 136;
const statusOffset = 4;
const secondsOffset = 120;
const microsecondsOffset = 128;
/** `SZOMB` */
const zombieStatus = 5;
const ESRCH = 3;

/** `proc_pidinfo` for one pid: how many bytes it wrote, and its errno when that is not positive. */
export type ProcPidInfo = (pid: number, buffer: Buffer) => { readonly written: number; readonly errno: number };

/**
 * What macOS says of a pid. A zombie is refused with `ESRCH`. Whatever is not exactly one struct with a plausible start is a
 * reading that could not be taken, so a surprise makes a record `Unverified`, never `Gone`.
 */
export function lookOnMac(pid: number, pidInfo: ProcPidInfo | undefined = systemPidInfo()): Sighting | undefined {
  if (pidInfo === undefined) return undefined;
  const buffer = Buffer.alloc(structBytes);
  try {
    const { written, errno } = pidInfo(pid, buffer);
    if (written <= 0) return errno === ESRCH ? { zombie: true, startToken: undefined } : undefined;
    if (written !== structBytes) return undefined;
  } catch {
    return undefined;
  }
  const seconds = buffer.readBigUInt64LE(secondsOffset);
  const microseconds = buffer.readBigUInt64LE(microsecondsOffset);
  const plausible = seconds > 0n && microseconds < 1_000_000n;
  return {
    zombie: buffer.readUInt32LE(statusOffset) === zombieStatus,
    startToken: plausible ? `${seconds}.${microseconds.toString().padStart(6, '0')}` : undefined,
  };
}

let bound: ProcPidInfo | null | undefined;

function systemPidInfo(): ProcPidInfo | undefined {
  bound ??= bind() ?? null;
  return bound ?? undefined;
}

function bind(): ProcPidInfo | undefined {
  const native = koffi();
  if (native === undefined) return undefined;
  try {
    const call = native
      .load('/usr/lib/libSystem.B.dylib')
      .func('int proc_pidinfo(int pid, int flavor, uint64_t arg, void *buffer, int size)');
    return (pid, buffer) => {
      const written = call(pid, flavor, 0, buffer, structBytes);
      return { written, errno: written > 0 ? 0 : native.errno() };
    };
  } catch {
    return undefined;
  }
}
