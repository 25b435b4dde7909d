/**
 * One started chain: whether its launch program got through, how it ended, and how to end it with everything it started.
 *
 * Who ends what: the first process of a PID namespace takes all others along, whoever their parent and session is. Killing that one,
 * and not what started it, means that when the outermost process has ended, nothing is left.
 *
 * Does not stop, without a PID namespace (`stub`, `plain`): a process that left the group of its command. The cgroup of the session
 * is what ends those.
 */
import type { ChildProcess } from 'node:child_process';
import { constants } from 'node:os';
import { PassThrough, type Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { startFailure } from './box-errors.js';
import { childrenOf, gone, groupGone, handles, nameOf, type Sighted, send, sight } from './children.js';
import type { Chain } from './host.js';
import { type Op, readReport } from './program.js';

/** A command that runs, contained. */
export interface BoxedProcess {
  /** The outermost process, as this machine counts; the command itself where nothing is around it. */
  readonly pid: number;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Settles at the end of the command and of all it started; never rejects. Output may still be on its way. */
  readonly ended: Promise<Ending>;
  /** Hands a signal on to the command and its group, as a terminal would. Nothing happens once it is over. */
  signal(name: NodeJS.Signals): void;
  /** SIGTERM to the command and its group, then `kill` for what is left after the grace. */
  terminate(graceMs: number): Promise<void>;
  /** Ends the whole tree; resolves when nothing of it is left. */
  kill(): Promise<void>;
}

export interface Ending {
  /** 128 + n for a command that signal n ended. */
  readonly exitCode: number;
  /**
   * The signal that ended it. bubblewrap tells of one by its exit status alone, so there a command that exits with 128 + n by itself
   * reads as ended by signal n.
   */
  readonly signal?: NodeJS.Signals;
}

export interface Started {
  readonly child: ChildProcess;
  readonly chain: Chain;
  /** `undefined`: it has no launch program, and started when it was spawned. */
  readonly ops: readonly Op[] | undefined;
  readonly report: Readable | undefined;
  readonly info: Readable | undefined;
  readonly nameUntilExec: string | undefined;
  /** Whether a root that cannot be built ends the session. */
  readonly isSealed: boolean;
}

/** How much of the chain's own words is read for an error. */
const wordsMax = 4096;

/** Resolves once the command itself runs; throws what kept it from running, by name, when nothing of it is left. */
export async function boxedProcess(started: Started): Promise<BoxedProcess> {
  const { child, chain } = started;
  // All of it before anything is waited for: Node throws away what nobody reads by the time a child has ended.
  const [stdout, stderr] = [kept(child.stdout), kept(child.stderr)];
  const first = firstProcess(started);
  const reported = reportOf(started);
  /** What it was killed for. */
  let killedBy: NodeJS.Signals | undefined;
  // unshare ends with status 1 when its child was killed: SIGKILL is the one signal it cannot pass on to itself.
  const ended = endOf(child, chain, first).then((ending) =>
    killedBy !== undefined && chain === 'unshare' ? endedBy(killedBy) : ending,
  );
  try {
    await running(started, ended, reported, stderr);
  } catch (error) {
    child.kill('SIGKILL');
    await ended;
    throw error;
  }
  const init = chain === 'unshare' ? childrenOf(child.pid!)[0] : (await first)?.pid;
  let isOver = false;
  void ended.then(() => {
    isOver = true;
  });
  const killFor = (signal: NodeJS.Signals) => {
    if (isOver) return;
    killedBy ??= signal;
    killNow(child, chain, init);
  };
  const killTree = async () => {
    killFor('SIGKILL');
    await ended;
  };
  const signal = (name: NodeJS.Signals) => {
    if (isOver) return;
    const pids = commandOf(child, chain, init);
    // The kernel keeps signals that the first process of a namespace does not handle from it: their default has to be done from outside.
    if (chain === 'unshare' && endsBy(name) && pids.some((pid) => !handles(pid, name))) return killFor(name);
    for (const pid of pids) send(-pid, name);
  };
  return {
    pid: child.pid!,
    stdout,
    stderr,
    ended,
    kill: killTree,
    signal,
    terminate: async (graceMs) => {
      signal('SIGTERM');
      const grace = new AbortController();
      await Promise.race([ended, sleep(graceMs, undefined, { signal: grace.signal }).catch(() => undefined)]);
      grace.abort();
      await killTree();
    },
  };
}

/** Its output, for whoever asks later. */
function kept(output: Readable | null): Readable {
  const stream = new PassThrough();
  return output === null ? stream.end() : output.pipe(stream);
}

function endOf(child: ChildProcess, chain: Chain, first: Promise<Sighted | undefined>): Promise<Ending> {
  return new Promise((resolve) => {
    child.once('exit', async (code, signal) => {
      // Jobs do not outlive their command, with a namespace or without.
      if (isBare(chain)) {
        send(-child.pid!, 'SIGKILL');
        await groupGone(child.pid!);
      }
      const init = await first;
      // bubblewrap passes the status on before its namespace is empty.
      if (init !== undefined) await gone(init);
      resolve(signal === null ? endingOf(code ?? 0, chain) : endedBy(signal));
    });
    child.once('error', () => {
      if (child.pid === undefined) resolve({ exitCode: 127 });
    });
  });
}

function endingOf(exitCode: number, chain: Chain): Ending {
  if (chain !== 'bubblewrap' || exitCode <= 128) return { exitCode };
  const entry = Object.entries(constants.signals).find(([, number]) => number === exitCode - 128);
  return entry === undefined ? { exitCode } : { exitCode, signal: entry[0] as NodeJS.Signals };
}

function endedBy(signal: NodeJS.Signals): Ending {
  return { exitCode: 128 + constants.signals[signal], signal };
}

/** Whether a process that does nothing about the signal is ended by it. */
function endsBy(signal: NodeJS.Signals): boolean {
  return !['SIGCONT', 'SIGCHLD', 'SIGWINCH', 'SIGURG', 'SIGSTOP', 'SIGTSTP', 'SIGTTIN', 'SIGTTOU'].includes(signal);
}

function isBare(chain: Chain): boolean {
  return chain === 'stub' || chain === 'plain';
}

/** The first process of bubblewrap's PID namespace. unshare waits for its own, so there nobody else has to. */
async function firstProcess({ info }: Started): Promise<Sighted | undefined> {
  if (info === undefined) return undefined;
  const pid = /"child-pid"\s*:\s*(\d+)/.exec(await textOf(info))?.[1];
  return pid === undefined ? undefined : sight(Number(pid));
}

async function running(
  started: Started,
  ended: Promise<Ending>,
  reported: Promise<Uint8Array>,
  stderr: Readable,
): Promise<void> {
  const { child, ops, isSealed } = started;
  const unstarted = await new Promise<Error | undefined>((resolve) => {
    child.once('spawn', () => resolve(undefined));
    child.once('error', resolve);
  });
  if (unstarted !== undefined) throw startFailure(`start of ${child.spawnfile}`, unstarted.message, isSealed);
  if (ops === undefined) return;
  const outcome = readReport(await reported, ops);
  if (outcome.kind === 'started') return;
  const { exitCode } = await ended;
  if (outcome.kind === 'failed') throw startFailure(outcome.step, outcome.errno, isSealed && outcome.buildsRoot);
  const said = (await textOf(stderr)).trim().split('\n').at(-1)!;
  const words = child.stderr === null ? 'its own words are on stderr' : 'it said nothing';
  throw startFailure(started.chain, said === '' ? `it ended with status ${exitCode}; ${words}` : said, isSealed);
}

/** Everything written to the report descriptor before the command took its place. */
function reportOf({ child, report, nameUntilExec }: Started): Promise<Uint8Array> {
  return new Promise((resolve) => {
    if (report === undefined) return resolve(new Uint8Array());
    const chunks: Buffer[] = [];
    const done = () => resolve(Buffer.concat(chunks));
    report.once('close', done);
    report.once('error', done);
    report.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      // unshare holds the descriptor as long as its child lives, so here a command that runs does not end the report. One that is gone
      // does, and what it reported last may still be on its way.
      if (nameUntilExec !== undefined && chunks.length === 1) {
        void renamed(child.pid!, nameUntilExec).then((isRunning) => isRunning && done());
      }
    });
  });
}

/** Whether the child of `parent` took another name; false when it ended under this one. */
async function renamed(parent: number, name: string): Promise<boolean> {
  const [pid] = childrenOf(parent);
  for (; pid !== undefined && nameOf(pid) === name; ) await sleep(1);
  return pid !== undefined && nameOf(pid) !== undefined;
}

function killNow(child: ChildProcess, chain: Chain, init: number | undefined): void {
  if (isBare(chain)) send(-child.pid!, 'SIGKILL');
  // The outer process has not been seen to end, and it is what waits for this one: the number is still its own.
  else if (init !== undefined && childrenOf(child.pid!).includes(init)) send(init, 'SIGKILL');
  else child.kill('SIGKILL');
}

/** The processes that are the command: what the first process of the namespace started, or is. */
function commandOf(child: ChildProcess, chain: Chain, init: number | undefined): readonly number[] {
  switch (chain) {
    case 'bubblewrap':
      return init === undefined ? [] : childrenOf(init).slice(0, 1);
    case 'unshare':
      return childrenOf(child.pid!);
    default:
      return [child.pid!];
  }
}

function textOf(stream: Readable): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    stream.on('data', (chunk: Buffer) => {
      if (text.length < wordsMax) text += chunk.toString('utf8');
    });
    stream.once('close', () => resolve(text));
    stream.once('error', () => resolve(text));
  });
}
