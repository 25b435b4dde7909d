/**
 * What plays a launch program: the stub, or Node with koffi where the stub cannot run. Both make the same calls from the same bytes.
 * The second costs a start of Node per command (some 80 ms) and has to be reachable where it runs: `folders` says what must be.
 */

import { randomBytes } from 'node:crypto';
import { closeSync, openSync, realpathSync, unlinkSync, writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface Player {
  readonly kind: 'stub' | 'koffi';
  /** The command line that plays the program of descriptor 3. */
  readonly file: string;
  readonly args: readonly string[];
  /** Files and folders outside of the system's own that it reads before its program runs. */
  readonly folders: readonly string[];
}

/** The player that is a stub written to `path`. */
export function stubPlayer(path: string): Player {
  return { kind: 'stub', file: path, args: [], folders: [path] };
}

/** The player that is this Node; `undefined` where koffi is not installed. */
export function koffiPlayer(): Player | undefined {
  const fromSource = import.meta.url.endsWith('.ts');
  const script = fileURLToPath(new URL(`${fromSource ? '../../dist' : '../..'}/workers/launcher.js`, import.meta.url));
  try {
    const koffi = realpathSync(dirname(createRequire(import.meta.url).resolve('koffi/package.json')));
    const node = realpathSync(process.execPath);
    return { kind: 'koffi', file: node, args: [script], folders: [node, dirname(script), dirname(koffi)] };
  } catch {
    return undefined;
  }
}

/**
 * A descriptor of a file that holds `bytes` and has no name: a program holds the environment of a command. The caller closes it.
 */
export function namelessFile(bytes: Uint8Array, directory: string): number {
  const path = join(directory, `.launch-${randomBytes(12).toString('hex')}`);
  const fd = openSync(path, 'wx+', 0o600);
  try {
    unlinkSync(path);
    for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at, bytes.length - at, at);
    return fd;
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}
