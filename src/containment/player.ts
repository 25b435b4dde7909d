/**
 * What plays a launch program: the stub, or Node with koffi where the stub cannot run. Both make the same calls from the same bytes.
 * The second costs a start of Node per command (some 80 ms) and has to be reachable where it runs: `folders` says what must be.
 */

import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { closeSync, constants, openSync, realpathSync, rmSync, unlinkSync, writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { workerFile } from '../wasm/worker-file.js';
import type { Architecture } from './seccomp/index.js';
import { writeStub } from './stub.js';

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

/**
 * A stub written to the first of the folders that programs can be executed in: hardened hosts mount some noexec. `undefined` when
 * there is none. The caller removes the file.
 */
export async function writtenStub(folders: readonly string[], arch: Architecture): Promise<Player | undefined> {
  for (const folder of folders) {
    const path = join(folder, `.launcher-${randomBytes(6).toString('hex')}`);
    writeStub(path, arch);
    if (await isExecutable(path)) return stubPlayer(path);
    rmSync(path);
  }
  return undefined;
}

/** Whether the kernel starts it. Without a program it ends at once. */
function isExecutable(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn(path, { stdio: 'ignore', env: {} });
    child.once('exit', () => resolve(true));
    child.once('error', () => resolve(false));
  });
}

/** The player that is this Node; `undefined` where koffi is not installed. */
export function koffiPlayer(): Player | undefined {
  const script = fileURLToPath(workerFile('launcher'));
  try {
    const entry = realpathSync(createRequire(import.meta.url).resolve('koffi'));
    const node = realpathSync(process.execPath);
    const koffi = folderNamed('koffi', entry);
    const packages = dirname(koffi);
    return {
      kind: 'koffi',
      file: node,
      args: [script, entry],
      // Its own package.json says that the script is a module; the machine code of koffi is in a package beside it.
      folders: [node, dirname(script), join(dirname(script), '../../package.json'), koffi, join(packages, '@koromix')],
    };
  } catch {
    return undefined;
  }
}

/** The folder of that name above `path`. */
function folderNamed(name: string, path: string): string {
  return basename(path) === name ? path : folderNamed(name, dirname(path));
}

/** In memory where there is such a place: faster, and the environment of a command never gets near a disk. */
const memoryFolder = '/dev/shm';

/**
 * A descriptor of a file that holds `bytes` and has no name: a program holds the environment of a command. The caller closes it.
 * In memory if possible, else in `directory`.
 */
export function namelessFile(bytes: Uint8Array, directory: string): number {
  try {
    return namelessFileIn(memoryFolder, bytes);
  } catch {
    return namelessFileIn(directory, bytes);
  }
}

/** Another descriptor of an open file, which reads from its start. The caller closes it. */
export function reopened(fd: number): number {
  return openSync(`/proc/self/fd/${fd}`, 'r');
}

/** asm-generic/fcntl.h; with the bit for folders, without which older kernels would open the folder itself. O_EXCL: none can be had later. */
const O_TMPFILE = 0o20000000 | constants.O_DIRECTORY;

function namelessFileIn(directory: string, bytes: Uint8Array): number {
  const fd = openNameless(directory);
  try {
    for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at, bytes.length - at, at);
    return fd;
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

function openNameless(directory: string): number {
  try {
    return openSync(directory, O_TMPFILE | constants.O_RDWR | constants.O_EXCL, 0o600);
  } catch {
    // Not every file system has files that never had a name.
    const path = join(directory, `.launch-${randomBytes(12).toString('hex')}`);
    const fd = openSync(path, 'wx+', 0o600);
    try {
      unlinkSync(path);
    } catch (error) {
      closeSync(fd);
      throw error;
    }
    return fd;
  }
}
