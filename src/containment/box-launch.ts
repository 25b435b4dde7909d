/**
 * The start of one command: what its session has prepared, and what is its own, put together and made a process of.
 */
import { spawn } from 'node:child_process';
import { closeSync, fstatSync, lstatSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { isMurError, reasonOf } from '../errors/index.js';
import type { Rlimit } from '../resources/index.js';
import type { BoxCommand, BoxRequest } from './box.js';
import { StartFailure, startFailure } from './box-errors.js';
import { type Prepared, prepare, type Slot } from './box-prepare.js';
import { type BoxedProcess, boxedProcess } from './box-process.js';
import { restOf } from './box-program.js';
import { namelessFile, type Player, reopened } from './player.js';
import { assemble, reportFd } from './program.js';
import { openReadOnly, placesKey, type ReadOnlyPlace } from './read-only.js';

/** What all commands of a box share. */
export interface BoxState {
  readonly request: BoxRequest;
  /** Paths of the work folder that commands do not write, as they were when the box opened. */
  readOnly: readonly string[];
  /** `undefined`: there is none here, and nothing is contained. */
  readonly player: Player | undefined;
  readonly hasMounts: boolean;
  /** Whether the temp folder is `/tmp`. */
  readonly isMapped: boolean;
  /** Whether each command gets an empty network: nobody made one for the session, and the filter allows internet sockets. */
  readonly ownNetwork: boolean;
  /** Descriptors of the folders a capsule writes to. */
  readonly held: ReadonlyMap<string, number>;
  /** Descriptors of granted folders that are to stay the ones they are. */
  readonly lent: ReadonlyMap<string, number>;
  readonly nameUntilExec: string | undefined;
  /** Of commands without anything besides; made at the first, and anew for other read-only paths. Closed with the box. */
  prepared?: Prepared & { readonly key: string };
}

/** Starts a command and resolves when it runs. */
export async function launch(state: BoxState, command: BoxCommand, limits: readonly Rlimit[]): Promise<BoxedProcess> {
  const own: number[] = [];
  const opened = (fd: number): number => {
    own.push(fd);
    return fd;
  };
  const file = (bytes: Uint8Array): number => opened(namelessFile(bytes, state.request.folders.records));
  let once: Prepared | undefined;
  try {
    const streams = streamsOf(command, file);
    const { player } = state;
    if (player === undefined) return await plain(command, state.request.folders.work, streams);
    for (const [path, fd] of state.lent) refuseReplaced(path, fd);
    const readOnly = readOnlyPlaces(state);
    if (command.extra === undefined) shared(state, player, readOnly);
    else once = prepare({ ...state, player }, command.extra, readOnly);
    return await contained(state, command, limits, streams, once ?? state.prepared!, { opened, file });
  } catch (error) {
    if (error instanceof StartFailure || isMurError(error)) throw error;
    throw startFailure(`start of ${command.path}`, reasonOf(error), false);
  } finally {
    for (const fd of own) closeSync(fd);
    once?.close();
  }
}

export const replacedWords =
  'another folder was put in its place since it was lent; start a new session to lend that one';

/** Rules and binds are for the folder that was lent; a command that finds another at its path would work on neither. */
function refuseReplaced(path: string, fd: number): void {
  const [lent, now] = [fstatSync(fd, { bigint: true }), lstatSync(path, { bigint: true, throwIfNoEntry: false })];
  if (now?.dev === lent.dev && now.ino === lent.ino) return;
  throw startFailure(`use of ${path}`, replacedWords, false);
}

/** Opened anew for each command: what was put in the place of one from outside is the one that is protected. */
function readOnlyPlaces({ request: { folders }, readOnly, held }: BoxState): readonly ReadOnlyPlace[] {
  return readOnly.length === 0 ? [] : openReadOnly(held.get(folders.work)!, folders.work, readOnly).places;
}

/** Brings what commands share up to date. Whoever started with the former has its own descriptors by now. */
function shared(state: BoxState, player: Player, readOnly: readonly ReadOnlyPlace[]): void {
  const key = placesKey(readOnly);
  if (state.prepared?.key === key) {
    for (const { fd } of readOnly) closeSync(fd);
    return;
  }
  const former = state.prepared;
  state.prepared = { ...prepare({ ...state, player }, {}, readOnly), key };
  former?.close();
}

interface Own {
  /** Closed once the command runs. */
  opened(fd: number): number;
  file(bytes: Uint8Array): number;
}

async function contained(
  { request, nameUntilExec }: BoxState,
  command: BoxCommand,
  limits: readonly Rlimit[],
  streams: Streams,
  { steps, line, slots, infoFd, entry }: Prepared,
  own: Own,
): Promise<BoxedProcess> {
  const { decision, folders } = request;
  const { path, argv0, args, env } = command;
  const rest = restOf(steps, limits, { path, argv: [argv0, ...args], env });
  const program = own.file(assemble(rest, steps.head));
  const onSlot = (slot: Slot): number | 'pipe' => {
    if (slot === 'program') return program;
    return typeof slot === 'object' ? own.opened(reopened(slot.file)) : slot;
  };
  const [name, ...more] = line;
  const child = spawn(name!, more, {
    cwd: folders.work,
    env: {},
    detached: true,
    stdio: [...streams, entry?.program ?? program, 'pipe', ...slots.map(onSlot)],
  });
  const at = (fd: number | undefined) => (fd === undefined ? undefined : (child.stdio[fd] as Readable));
  return await boxedProcess({
    child,
    chain: decision.chain,
    ops: [...(entry?.ops ?? []), ...steps.head.ops, ...rest],
    report: at(reportFd),
    info: at(infoFd),
    nameUntilExec,
    isSealed: decision.tier === 'sealed',
  });
}

/** Without a launcher: this host has nothing that could confine a command, and the scope report says so. */
async function plain(command: BoxCommand, cwd: string, stdio: Streams): Promise<BoxedProcess> {
  const { path, argv0, args, env } = command;
  const child = spawn(path, args, { argv0, cwd, env: { ...env }, detached: true, stdio: [...stdio] });
  const nothing = { ops: undefined, report: undefined, info: undefined, nameUntilExec: undefined };
  return await boxedProcess({ child, chain: 'plain', ...nothing, isSealed: false });
}

/** Descriptors 0 to 2 of the child. */
type Streams = readonly [number | 'ignore', number | 'pipe', number | 'pipe'];

function streamsOf({ stdin, inherits }: BoxCommand, file: (bytes: Uint8Array) => number): Streams {
  if (inherits === true) return [0, 1, 2];
  return [stdin === undefined ? 'ignore' : file(stdin), 'pipe', 'pipe'];
}
