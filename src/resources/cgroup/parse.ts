import { posix } from 'node:path';

/** The child that `mur` moves itself into, so that its group may hand controllers to other children. */
export const supervisorName = 'murmur-supervisor';

/** The path of the v2 group in a text of `/proc/self/cgroup`; `undefined` on a host with v1 groups only. */
export function parseOwnGroup(text: string): string | undefined {
  return text
    .split('\n')
    .find((line) => line.startsWith('0::/'))
    ?.slice('0::'.length);
}

/** Where cgroup2 is mounted, by a text of `/proc/mounts`. Spaces in it are written `\040` there. */
export function parseCgroupMount(text: string): string | undefined {
  for (const line of text.split('\n')) {
    const [, place, type] = line.split(' ');
    if (type !== 'cgroup2' || place === undefined) continue;
    return place.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
  }
  return undefined;
}

/** The group a scope is made in: ours, without the part we moved into ourselves. */
export function baseGroup(mount: string, own: string): string {
  let path = own;
  while (posix.basename(path) === supervisorName) path = posix.dirname(path);
  return path === '/' ? mount : posix.join(mount, path);
}

/** `cpu.max` for a percentage of one processor. */
export function cpuMax(percent: number): string {
  return `${percent * 1000} 100000`;
}

/** A counter of `memory.events` or `pids.events`; 0 when the file does not have it. */
export function parseCounter(text: string, name: string): number {
  for (const line of text.split('\n')) {
    const [key, value] = line.split(' ');
    if (key === name) return Number(value);
  }
  return 0;
}

/** The name of a session's group: one path segment that no controller file can have. */
export function scopeName(sessionId: string, pid: number, serial: number): string {
  return `murmur-${sessionId.replace(/[^A-Za-z0-9._-]/g, '_')}-${pid}-${serial}`;
}

/** The two halves of a device number of Linux. */
export function splitDevice(device: number): { readonly major: number; readonly minor: number } {
  const bits = BigInt(device);
  return {
    major: Number(((bits >> 8n) & 0xfffn) | ((bits >> 32n) & 0xfffff000n)),
    minor: Number((bits & 0xffn) | ((bits >> 12n) & 0xffffff00n)),
  };
}
