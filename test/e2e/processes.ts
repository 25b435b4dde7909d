import { readdirSync, readFileSync } from 'node:fs';

/** The processes of this machine whose command line is `command`. */
export function processesWith(command: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const line = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
        return line === command ? [line] : [];
      } catch {
        return [];
      }
    });
}
