import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Box, type BoxCommand, type BoxRequest, openBox } from '../../../src/containment/box.js';
import type { BoxedProcess } from '../../../src/containment/box-process.js';
import { type ContainmentAsked, type ContainmentDecision, decide } from '../../../src/containment/decide.js';
import type { Executables } from '../../../src/containment/executables.js';
import type { HostReport } from '../../../src/containment/host.js';

function which(name: string): string | null {
  const found = `/usr/bin:/bin:${process.env.PATH}`.split(':').map((folder) => join(folder, name));
  return found.find((path) => existsSync(path)) ?? null;
}
const bubblewrap = which('bwrap');

/** A machine that has everything; what the tests of a box assume of the one they run on. The probes have tests of their own. */
export const fullHost: HostReport = {
  platform: 'linux',
  arch: process.arch,
  uid: process.getuid!(),
  launcher: 'stub',
  stubFolder: null,
  seccomp: true,
  landlockAbi: 7,
  network: { usable: true },
  bubblewrap: bubblewrap === null ? null : { path: bubblewrap, version: '0.8.0', bindFd: true },
  unshare: which('unshare'),
  nsenter: which('nsenter'),
  chain: 'bubblewrap',
  privateProc: true,
  noexec: true,
  usernsGrant: 'apparmor_absent',
  hostTier: 'sealed',
  mechanisms: [],
  probedInMs: 0,
};

export function decisionFor(host: HostReport, asked: Partial<ContainmentAsked>): ContainmentDecision {
  return decide(host, {
    floor: 'scoped',
    workdirExec: false,
    runtimeInsideWorkdir: false,
    networkAllowEmpty: true,
    startsProcesses: true,
    ...asked,
  });
}

/** The files a program is started from, by the system's own loader. The product reads the files themselves. */
export function closureOf(names: readonly string[]): Pick<Executables, 'binaries' | 'executable' | 'readable'> {
  const binaries = names.map((name) => ({
    name,
    path: realpathSync(which(name)!),
    first: true,
    image: 'elf' as const,
  }));
  const libraries = binaries.flatMap(({ path }) =>
    [...execFileSync('ldd', [path], { encoding: 'utf8' }).matchAll(/(\/\S+) \(/g)].map(([, file]) =>
      realpathSync(file!),
    ),
  );
  return { binaries, executable: [...new Set([...binaries.map(({ path }) => path), ...libraries])], readable: [] };
}

/** A box with folders of its own, and what to run in it. */
export interface TestBox {
  readonly box: Box;
  readonly folders: BoxRequest['folders'];
  run(command: Partial<BoxCommand> & Pick<BoxCommand, 'path'>): Promise<Outcome>;
  start(command: Partial<BoxCommand> & Pick<BoxCommand, 'path'>): Promise<BoxedProcess>;
  /** A line of bash. */
  sh(line: string): Promise<Outcome>;
  close(): Promise<void>;
}

export interface Outcome {
  readonly out: string;
  readonly err: string;
  readonly exitCode: number;
  readonly signal?: NodeJS.Signals;
}

/** `place`: a folder that is not under /tmp, or the private /tmp of a command would hide the session. */
export async function testBox(
  place: string,
  names: readonly string[],
  { prepare, ...request }: Partial<BoxRequest> & { readonly prepare?: (work: string) => void } = {},
): Promise<TestBox> {
  const root = mkdtempSync(join(place, 'box-'));
  const folder = (...path: string[]) => {
    const full = join(root, ...path);
    mkdirSync(full, { recursive: true, mode: 0o700 });
    return realpathSync(full);
  };
  const folders = {
    work: folder('work'),
    records: folder('records'),
    temp: folder('records', 'tmp'),
    home: folder('records', 'home'),
    runtime: folder('runtime'),
  };
  prepare?.(folders.work);
  const host = request.host ?? fullHost;
  const box = await openBox({
    host,
    decision: decisionFor(host, {}),
    folders,
    policy: { unixSocketsAllowed: false, workdirExecAllowed: false },
    resources: { noCore: true },
    executables: closureOf(names),
    ...request,
  });
  const env = { PATH: '/usr/bin:/bin', HOME: folders.home, TMPDIR: box.tempPath };
  const start: TestBox['start'] = (command) => box.start({ argv0: command.path, args: [], env, ...command });
  const run: TestBox['run'] = async (command) => outcomeOf(await start(command));
  const bash = realpathSync(which('bash')!);
  return {
    box,
    folders,
    start,
    run,
    sh: (line) => run({ path: bash, argv0: 'bash', args: ['-c', line] }),
    close: async () => {
      await box.close();
      rmSync(root, { recursive: true });
    },
  };
}

export async function outcomeOf(running: BoxedProcess): Promise<Outcome> {
  const [out, err, ending] = await Promise.all([text(running.stdout), text(running.stderr), running.ended]);
  return { out, err, ...ending };
}

async function text(stream: NodeJS.ReadableStream): Promise<string> {
  let all = '';
  for await (const chunk of stream) all += chunk;
  return all;
}
