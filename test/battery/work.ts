/** Real work: what has to go on working inside of a box, or nobody would use one. */
import { existsSync, mkdirSync, readdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { columns } from './case.js';
import { type Entry, entryOf, type Where } from './record.js';
import { executablesOf, type Finished, openKind, run, type Setting } from './session.js';
import type { Evidence } from './verdict.js';
import { type Work, workIn, workWith } from './work-scripts.js';

const works = columns(['SUCCESS', 'SUCCESS', 'SUCCESS']);
const row = (id: string, attempt: string, note?: string) =>
  ({
    id,
    from: 'issue, real work',
    attempt,
    kind: 'work',
    expect: works,
    by: {},
    ...(note === undefined ? {} : { note }),
  }) as const;

export const workRows = {
  pipelines: row('work-pipelines', 'bash pipes, process substitution, a heredoc, mktemp, jobs'),
  git: row('work-git', 'git init, add, commit, log, diff, branch'),
  python: row('work-python-threads', 'python3 with threads, sqlite, subprocess'),
  copy: row('work-copy-200mb', 'copy a file of 200 MB'),
  curl: row('work-curl-allowed-name', 'curl to an allowed name that leads to the loopback of the machine'),
  node: row('work-node-worker-fetch', 'node with a worker thread and fetch to the allowed name'),
  compile: row(
    'work-compile',
    'compile a program and run it, with workdir_exec',
    'achieved is advisory with workdir_exec, whatever the floor',
  ),
} as const;

function shown({ out, err, exitCode }: Finished, { shows }: Work): Evidence {
  if (exitCode === 0 && shows.test(out))
    return { kind: 'through', detail: out.trim().slice(-120).replaceAll('\n', ' | ') };
  return { kind: 'none', detail: `exit ${exitCode}: ${out.slice(-150)} ${err.slice(-300)}` };
}

export async function realWork(setting: Setting, where: Where, isShort: boolean): Promise<readonly Entry[]> {
  const box = await openKind(setting, 'plain');
  const works = workIn(setting.ground.folders.work);
  const did = async (name: 'pipelines' | 'git' | 'python' | 'copy') =>
    entryOf(workRows[name], where, shown(await run(box, setting, works[name].program, works[name].args), works[name]));
  try {
    const found = [await did('pipelines'), await did('git'), await did('python')];
    if (!isShort) found.push(await did('copy'), await compile(setting, where));
    return found;
  } finally {
    await box.close();
  }
}

/** Work that needs the network of a session with the allowed name. */
export async function workWithNetwork(setting: Setting, where: Where, api: number): Promise<readonly Entry[]> {
  const box = await openKind(setting, 'plain');
  const works = workWith(`http://api.example:${api}/`);
  const did = async (name: 'curl' | 'node') =>
    entryOf(workRows[name], where, shown(await run(box, setting, works[name].program, works[name].args), works[name]));
  try {
    return [await did('curl'), await did('node')];
  } finally {
    await box.close();
  }
}

async function compile(setting: Setting, where: Where): Promise<Entry> {
  const base = '/usr/lib/gcc/x86_64-linux-gnu';
  const version = existsSync(base) ? readdirSync(base)[0] : undefined;
  if (version === undefined || !existsSync('/usr/bin/gcc')) {
    return entryOf(workRows.compile, where, { kind: 'none', detail: 'no compiler is installed' });
  }
  const helpers = realpathSync(join(base, version));
  // As a manifest would say it: the driver, its helpers of PATH, and the folders the others are in.
  const executables = await executablesOf(setting.pathFolders, {
    allow: ['gcc', 'as', 'ld'],
    interpreterRuntime: [
      {
        binary: 'gcc',
        dirs: [helpers, '/usr/include', '/usr/lib/x86_64-linux-gnu'].map((path) => ({ path, listDir: true })),
      },
    ],
  });
  const inside = { ...setting, executables };
  const box = await openKind(inside, 'workdir-exec');
  const folder = join(setting.ground.folders.work, 'compiled');
  mkdirSync(folder, { recursive: true, mode: 0o755 });
  const work = workIn(folder).compile;
  try {
    return entryOf(workRows.compile, where, shown(await run(box, inside, work.program, work.args), work));
  } finally {
    await box.close();
  }
}
