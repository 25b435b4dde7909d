import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { landlockSteps, writable } from '../landlock.js';
import type { Player } from '../player.js';
import { text } from '../program.js';
import { seccompFilter } from '../seccomp/index.js';
import { loadFilter, noNewPrivileges } from '../steps.js';
import { attempt, type Lab, Measured, succeeded } from './attempt.js';
import { errno, errnoName } from './errno.js';
import { whatFailed } from './launcher.js';

/** What a probe showed: it works, or why not. */
export type Shown = { readonly works: true } | { readonly works: false; readonly said: string };

const AT_FDCWD = -100;
const O_DIRECTORY = { x64: 0o200000, arm64: 0o40000 } as const;
const O_WRONLY_CREAT = 0o101;

/** Landlock: in a child confined to one folder, a file can be made there, and another folder cannot be opened. */
export async function showLandlock(lab: Lab, player: Player, version: number): Promise<Shown> {
  if (version < 1) return { works: false, said: `landlock_create_ruleset: ${errnoName(-version)}` };
  const { call, arch } = lab;
  const own = join(lab.folder, 'landlock');
  await mkdir(own);
  const measured = new Measured(call)
    .add(call('openat', [AT_FDCWD, text(join(own, 'file')), O_WRONLY_CREAT, 0o600]))
    .add(call('openat', [AT_FDCWD, text('/'), O_DIRECTORY[arch], 0]));
  const confined = landlockSteps(call, version, [{ path: own, rights: writable, required: true }], () => 'directory');
  const answer = await attempt(lab, player, [], [noNewPrivileges(call), ...confined, ...measured.ops]);
  if (!succeeded(answer)) return { works: false, said: whatFailed(answer) };
  const [inside = -1, outside = 0] = measured.read(answer);
  if (inside < 0) return { works: false, said: `a granted folder was refused: ${errnoName(-inside)}` };
  if (outside !== -errno.EACCES) return { works: false, said: 'a folder that was not granted could be opened' };
  return { works: true };
}

const AF_UNIX = 1;
const SOCK_STREAM = 1;

/** seccomp: the filter of commands loads, and refuses a unix socket. */
export async function showSeccomp(lab: Lab, player: Player): Promise<Shown> {
  const { call, arch } = lab;
  const measured = new Measured(call).add(call('socket', [AF_UNIX, SOCK_STREAM, 0]));
  const filter = seccompFilter({ arch, unixSockets: false, noInet: false });
  const answer = await attempt(lab, player, [], [noNewPrivileges(call), loadFilter(call, filter), ...measured.ops]);
  if (!succeeded(answer)) return { works: false, said: whatFailed(answer) };
  const [socket = 0] = measured.read(answer);
  return socket === -errno.EACCES
    ? { works: true }
    : { works: false, said: 'the filter was loaded and refuses nothing' };
}
