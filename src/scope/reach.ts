import { existsSync } from 'node:fs';

/** Whether paths of guests are walked by descriptor; elsewhere they are only checked by name (design/wasm.md 5.2). */
export function hasDescriptorWalk(platform: NodeJS.Platform = process.platform): boolean {
  return platform === 'linux' && existsSync('/proc/self/fd');
}
