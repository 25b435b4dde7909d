import { createRequire } from 'node:module';

/**
 * The part of koffi this project uses, described here because its `node.poll` is undocumented and its own types say the wrong
 * thing about it. The version is pinned in package.json; test/liveness/pidfd.test.ts fails when a new one behaves otherwise.
 */
export interface Koffi {
  load(library: string | null): { func(prototype: string): (...values: unknown[]) => number };
  errno(): number;
  readonly node: {
    /** Calls back with `(status, events)`. The handle must stay referenced, or it is collected and falls silent. */
    poll(fd: number, want: { readable: boolean }, notify: () => void): PollHandle;
  };
}

export interface PollHandle {
  unref(): void;
  close(): void;
}

let loaded: Koffi | null | undefined;

/**
 * koffi, or `undefined` where it is not installed or does not load; it is an optional dependency. Loading costs 10 ms, so it
 * happens at the first call that needs it and never while a module is imported.
 */
export function koffi(): Koffi | undefined {
  if (loaded === undefined) {
    try {
      loaded = createRequire(import.meta.url)('koffi') as Koffi;
    } catch {
      loaded = null;
    }
  }
  return loaded ?? undefined;
}
