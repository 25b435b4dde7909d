import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { koffiPlayer, type Player, stubPlayer } from '../player.js';
import type { Architecture } from '../seccomp/index.js';
import { writeStub } from '../stub.js';
import { type Attempt, attempt, type Lab, labOf, Measured, succeeded } from './attempt.js';
import { errnoName } from './errno.js';

/** A player that works here, and what its first program found out about the kernel. */
export interface Launcher {
  readonly lab: Lab;
  readonly player: Player | null;
  /** Where the stub could be executed. */
  readonly stubFolder: string | null;
  /** `landlock_create_ruleset(NULL, 0, VERSION)`: the version, or an errno below zero. */
  readonly landlockVersion: number;
  /** `pidfd_open(1)`: a descriptor, or an errno below zero. */
  readonly pidfd: number;
  /** `close_range` with the flag that marks: 0, or an errno below zero. */
  readonly closeRange: number;
  /** Why the stub, and the koffi player, did not run. */
  readonly said: string;
}

export interface LauncherOptions {
  readonly arch: Architecture;
  readonly wrapper: readonly string[];
  /** Tried in this order: hardened hosts mount some of them noexec. */
  readonly stubFolders?: readonly string[];
  readonly players?: readonly ('stub' | 'koffi')[];
}

const LANDLOCK_CREATE_RULESET_VERSION = 1;
const CLOSE_RANGE_CLOEXEC = 4;
const unusedDescriptor = 0x7fff_ffff;

/** Finds a player and a folder for probes. The caller removes the folder with `close`. */
export async function findLauncher(options: LauncherOptions): Promise<Launcher & { close(): Promise<void> }> {
  const { arch, wrapper, stubFolders = [tmpdir(), homedir()], players = ['stub', 'koffi'] } = options;
  const folders: string[] = [];
  const close = async () => {
    for (const folder of folders) await rm(folder, { recursive: true, force: true });
  };
  const said: string[] = [];
  let lab: Lab | undefined;
  for (const place of stubFolders) {
    const folder = await folderIn(place);
    if (folder === undefined) continue;
    folders.push(folder);
    lab ??= labOf(arch, folder, wrapper);
    if (!players.includes('stub')) break;
    const player = stubPlayer(join(folder, 'stub'));
    writeStub(player.file, arch);
    const here = labOf(arch, folder, wrapper);
    const answer = await firstProgram(here, player);
    if (answer.works) return { ...answer.found, lab: here, player, stubFolder: place, said: '', close };
    said.push(`stub in ${place}: ${answer.said}`);
  }
  if (lab === undefined) throw new Error(`no folder can be made in ${stubFolders.join(', ')}`);
  const player = players.includes('koffi') ? koffiPlayer() : undefined;
  if (player === undefined) said.push('koffi is not installed');
  else {
    const answer = await firstProgram(lab, player);
    if (answer.works) return { ...answer.found, lab, player, stubFolder: null, said: said.join('; '), close };
    said.push(`koffi: ${answer.said}`);
  }
  return {
    lab,
    player: null,
    stubFolder: null,
    landlockVersion: -1,
    pidfd: -1,
    closeRange: -1,
    said: said.join('; '),
    close,
  };
}

async function folderIn(place: string): Promise<string | undefined> {
  try {
    return await realpath(await mkdtemp(join(place, '.mur-probe-')));
  } catch {
    return undefined;
  }
}

type FirstAnswer =
  | { readonly works: true; readonly found: Pick<Launcher, 'landlockVersion' | 'pidfd' | 'closeRange'> }
  | { readonly works: false; readonly said: string };

async function firstProgram(lab: Lab, player: Player): Promise<FirstAnswer> {
  const measured = new Measured(lab.call)
    .add(lab.call('landlock_create_ruleset', [0, 0, LANDLOCK_CREATE_RULESET_VERSION]))
    .add(lab.call('pidfd_open', [1, 0]))
    .add(lab.call('close_range', [unusedDescriptor, unusedDescriptor, CLOSE_RANGE_CLOEXEC]));
  const answer = await attempt(lab, player, [], measured.ops);
  if (!succeeded(answer)) return { works: false, said: whatFailed(answer) };
  const [landlockVersion = -1, pidfd = -1, closeRange = -1] = measured.read(answer);
  return { works: true, found: { landlockVersion, pidfd, closeRange } };
}

/** One line about an attempt that did not succeed. */
export function whatFailed({ report, exitCode, said }: Attempt): string {
  if (report.kind === 'failed') return `${report.step}: ${errnoName(report.errno)}`;
  if (said !== '') return said;
  return exitCode === null ? 'it was killed or could not be started' : `it ended with ${exitCode}`;
}
