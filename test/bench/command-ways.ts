/**
 * A session with real folders, network and boxes, and the ways a command can be started in it, for command.ts. What is decided is the
 * product's: probe, decision, executables.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, mkdirSync, mkdtempSync, openSync, realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Box, type BoxRequest, openBox } from '../../src/containment/box.js';
import { decide } from '../../src/containment/decide.js';
import { dialer, openSessionNetwork, type SessionNetwork } from '../../src/containment/egress/index.js';
import { type Executables, resolveExecutables } from '../../src/containment/executables.js';
import type { HostReport } from '../../src/containment/host.js';
import { hostFiles } from '../../src/containment/host-files.js';
import { mountArguments } from '../../src/containment/mount-arguments.js';
import { planMounts } from '../../src/containment/mounts.js';
import { probeHost } from '../../src/containment/probe/index.js';
import { parseAllowEntry } from '../../src/policy/network.js';

/** What the capsule of this benchmark may start. */
export const allowed = ['bash', 'cat', 'git', 'grep', 'ls', 'true'];
const path = '/usr/local/bin:/usr/bin:/bin';

export interface Ground {
  readonly host: HostReport;
  readonly folders: BoxRequest['folders'];
  readonly executables: Executables;
  /** How long the first look for them took; a later one of the same process knows the files. */
  readonly firstLookMs: number;
  /** `undefined`: this host gives none. */
  readonly network: SessionNetwork | undefined;
  /** The program all of them start. */
  readonly program: string;
  close(): Promise<void>;
}

/** Not below /tmp, which the private one of a command would hide. */
export async function openGround(): Promise<Ground> {
  const root = mkdtempSync('/var/tmp/mur-bench-');
  const folder = (...names: string[]) => {
    const full = join(root, ...names);
    mkdirSync(full, { recursive: true, mode: 0o700 });
    return realpathSync(full);
  };
  const records = folder('records');
  const folders = {
    work: folder('work'),
    records,
    temp: folder('records', 'tmp'),
    home: folder('records', 'home'),
    runtime: folder('runtime'),
  };
  const host = await probeHost();
  const network = await networkOf(host);
  const startedAt = performance.now();
  const executables = await executablesOf();
  const firstLookMs = performance.now() - startedAt;
  return {
    host,
    folders,
    executables,
    firstLookMs,
    network,
    program: executables.binaries.find(({ name }) => name === 'true')!.path,
    close: async () => {
      await network?.close();
      rmSync(root, { recursive: true });
    },
  };
}

export async function networkOf({ unshare }: Pick<HostReport, 'unshare'>): Promise<SessionNetwork | undefined> {
  const rules = [parseAllowEntry('api.example.com:443')];
  const opened = await openSessionNetwork({ rules, dial: dialer({ privateNames: [] }), onRefused: () => {}, unshare });
  return 'refused' in opened ? undefined : opened;
}

export function executablesOf(): Promise<Executables> {
  return resolveExecutables({ allow: allowed, path, interpreterRuntime: [], stagedRuntime: [] });
}

/** One way to run the program to its end. */
export interface Way {
  readonly name: string;
  /** Absent: it cannot be measured here, and why. */
  readonly run?: () => Promise<void>;
  readonly skipped?: string;
  /** Takes so long that a few rounds must do. */
  readonly isSlow?: boolean;
  readonly box?: Box;
}

export type Class = 'scoped' | 'sealed';

export function boxOf(ground: Ground, floor: Class, host = ground.host): Promise<Box> {
  const { folders, executables, network } = ground;
  return openBox({
    host,
    decision: decide(host, {
      floor,
      workdirExec: false,
      runtimeInsideWorkdir: false,
      networkAllowEmpty: network === undefined,
      startsProcesses: true,
    }),
    folders,
    policy: { unixSocketsAllowed: false, workdirExecAllowed: false },
    resources: { noCore: true },
    executables,
    ...(network === undefined ? {} : { network }),
  });
}

/** Plain first: it is what all others are read against. Close the boxes. */
export async function waysOf(ground: Ground): Promise<readonly Way[]> {
  const { host } = ground;
  const hasLauncher = host.launcher !== null;
  const needs = (there: boolean, what: string): string | undefined => (there ? undefined : `this host has no ${what}`);
  const bubblewrap = needs(hasLauncher && host.chain === 'bubblewrap', 'bubblewrap that works');
  const boxed = async (name: string, skipped: string | undefined, floor: Class, change: Partial<HostReport> = {}) => {
    if (skipped !== undefined) return { name, skipped };
    const box = await boxOf(ground, floor, { ...host, ...change });
    return { name, box, run: () => inBox(ground, box), isSlow: change.launcher === 'koffi' };
  };
  const alone = (name: string, floor: Class): Way =>
    bubblewrap === undefined
      ? { name, run: () => finished(host.bubblewrap!.path, bubblewrapAlone(ground, floor), ground, emptyFiles) }
      : { name, skipped: bubblewrap };
  const firejail = ['/usr/bin/firejail', '/usr/local/bin/firejail'].find((each) => existsSync(each));
  const unshare = needs(hasLauncher && host.unshare !== null, 'unshare');
  const asPoor = { hostTier: 'full' } as const;
  return [
    { name: 'plain child_process.spawn', run: () => finished(ground.program, [], ground) },
    await boxed('box, scoped', bubblewrap, 'scoped'),
    await boxed('box, sealed', bubblewrap, 'sealed'),
    await boxed('box, scoped by unshare (no bubblewrap)', unshare, 'scoped', { ...asPoor, chain: 'unshare' }),
    await boxed('box, launch program only (no namespaces but the network)', needs(hasLauncher, 'launcher'), 'scoped', {
      ...asPoor,
      chain: 'stub',
      noexec: false,
    }),
    await boxed('box, scoped, played by node and koffi', bubblewrap, 'scoped', { launcher: 'koffi' }),
    alone('bubblewrap alone, mounts of scoped', 'scoped'),
    alone('bubblewrap alone, mounts of sealed', 'sealed'),
    firejail === undefined
      ? { name: 'firejail', skipped: 'firejail is not installed' }
      : { name: 'firejail', isSlow: true, run: () => finished(firejail, firejailArguments(ground), ground) },
  ];
}

/** What bubblewrap reads synthetic files from: nothing is in them here. */
const firstExtraFd = 3;
const emptyFiles = 2;

/** The namespaces and mounts of a box in bubblewrap's own words: no launch program, no network of the session. */
function bubblewrapAlone({ host, folders, executables, program }: Ground, floor: Class): readonly string[] {
  const plan = planMounts({
    tier: floor === 'sealed' ? 'sealed' : 'full',
    folders,
    isTempMapped: true,
    workdirExec: false,
    noexec: false,
    grants: executables.readable,
    executable: executables.executable,
    binaries: executables.binaries.map((binary) => binary.path),
    player: [],
    host: hostFiles,
  });
  let next = firstExtraFd;
  return [
    ...['--unshare-user', '--unshare-pid', '--unshare-ipc', '--unshare-net', '--die-with-parent'],
    ...mountArguments(plan, host.privateProc, { held: () => undefined, data: () => next++ }),
    '--',
    program,
  ];
}

function firejailArguments({ folders, program }: Ground): readonly string[] {
  return [
    '--quiet',
    '--noprofile',
    '--net=none',
    `--whitelist=${folders.work}`,
    '--caps.drop=all',
    '--seccomp',
    program,
  ];
}

async function inBox({ folders, program }: Ground, box: Box): Promise<void> {
  const running = await box.start({ path: program, argv0: 'true', args: [], env: environmentOf(folders, box) });
  const output = [running.stdout, running.stderr].map((stream) => once(stream.resume(), 'close'));
  const [{ exitCode }] = await Promise.all([running.ended, ...output]);
  if (exitCode !== 0) throw new Error(`it ended with ${exitCode}`);
}

function environmentOf({ home }: BoxRequest['folders'], { tempPath }: Box): Record<string, string> {
  return { PATH: path, HOME: home, TMPDIR: tempPath, LANG: 'C.UTF-8' };
}

async function finished(file: string, args: readonly string[], { folders }: Ground, extra = 0): Promise<void> {
  const empty = Array.from({ length: extra }, () => openSync('/dev/null', 'r'));
  const env = { PATH: path, HOME: folders.home, LANG: 'C.UTF-8' };
  const child = spawn(file, args, { cwd: folders.work, env, stdio: ['ignore', 'pipe', 'pipe', ...empty] });
  for (const fd of empty) closeSync(fd);
  child.stdout!.resume();
  let said = '';
  child.stderr!.on('data', (chunk: Buffer) => {
    said += chunk.toString('utf8');
  });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`${file} ended with ${code}: ${said}`);
}
