/** Ceilings that end whole commands, or the next start. Attribution is the product's own. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openBox } from '../../src/containment/box.js';
import {
  attribute,
  type CgroupScope,
  openCgroupScope,
  openSizeGuard,
  type ResolvedResources,
  sizeError,
} from '../../src/resources/index.js';
import { columns } from './case.js';
import { tight } from './cases/ceilings.js';
import { type Entry, entryOf, refusedEntry, type Where } from './record.js';
import { decisionOf, environment, type Finished, pathOf, run, type Setting } from './session.js';
import type { Evidence } from './verdict.js';

const mebibyte = 1024 * 1024;
const contained = columns(['CONTAINED', 'CONTAINED', 'CONTAINED']);
const row = (id: string, from: string, attempt: string, note?: string) =>
  ({ id, from, attempt, kind: 'ceiling', expect: contained, by: {}, ...(note === undefined ? {} : { note }) }) as const;

export const limitRows = {
  cpu: row('resource-cpu-spinner', 'escape-cases 10', 'spin past one second of processor time'),
  file: row('resource-file-signal', 'escape-cases 10', 'write past the file limit without handling the signal'),
  fork: row('resource-fork-bomb', 'escape-cases 2', 'fork up to 4096 sleepers against pids 32'),
  forkLimit: row('resource-fork-bomb-nproc', 'escape-cases 10', 'fork up to 200 sleepers against max_processes 64'),
  memory: row('resource-memory-hog', 'escape-cases 2', 'touch pages up to 4 GiB against 256 MiB'),
  folder: row(
    'resource-disk-filler-aggregate',
    'escape-cases 2',
    'files of 9 MiB in the work and temp folders past 50 MiB; graded on the next start',
    'eight files, not 120: the guard is asked to look, so nothing has to wait for its interval',
  ),
} as const;

export async function ceilings(setting: Setting, where: Where, isShort: boolean): Promise<readonly Entry[]> {
  const entries: Entry[] = [];
  const add = (each: (typeof limitRows)[keyof typeof limitRows], evidence: Evidence) =>
    entries.push(entryOf(each, where, evidence));
  const spin = await limited(setting, { ...tight, cpuSeconds: 1 }, 'while True: pass');
  add(limitRows.cpu, attributed(spin, 152, 'cpu_seconds'));
  const big = await limited(
    setting,
    tight,
    `import signal\nsignal.signal(signal.SIGXFSZ, signal.SIG_DFL)\nopen(${JSON.stringify(join(setting.ground.folders.work, 'signal'))}, 'wb').write(bytes(11 << 20))`,
  );
  add(limitRows.file, attributed(big, 153, 'max_file_size_bytes'));
  entries.push(await forksAgainstLimit(setting, where));
  entries.push(...(await inCgroup(setting, where)));
  if (!isShort) add(limitRows.folder, await folderFiller(setting));
  return entries;
}

function attributed(ended: Finished, exitCode: number, limit: string): Evidence {
  const found = attribute(ended);
  if (ended.exitCode === exitCode && found === limit)
    return { kind: 'held', detail: `exit ${exitCode}, attributed to ${found}` };
  return { kind: 'none', detail: `exit ${ended.exitCode}, attributed to ${found}: ${ended.err.slice(-200)}` };
}

async function limited(
  setting: Setting,
  resources: ResolvedResources,
  code: string,
  cgroup?: CgroupScope,
): Promise<Finished> {
  const { host, held, executables, ground, network } = setting;
  const box = await openBox({
    ...{ host, executables, resources, decision: decisionOf(host, held), folders: ground.folders },
    policy: { unixSocketsAllowed: false, workdirExecAllowed: false },
    ...(network === undefined ? {} : { network }),
    ...(cgroup === undefined ? {} : { cgroup }),
  });
  try {
    return await run(box, setting, 'python3', ['-Ic', code]);
  } finally {
    await box.close();
  }
}

const forks = (most: number) => `
import os, signal, time, errno
pids = []
try:
    for _ in range(${most}):
        pid = os.fork()
        if pid == 0:
            time.sleep(30); os._exit(0)
        pids.append(pid)
    print('all', len(pids))
except OSError as e: print(errno.errorcode[e.errno], len(pids))
for pid in pids: os.kill(pid, signal.SIGKILL)`;

async function forksAgainstLimit(setting: Setting, where: Where): Promise<Entry> {
  if (setting.host.uid === 0) {
    return refusedEntry(
      limitRows.forkLimit,
      where,
      'the kernel exempts uid 0 from RLIMIT_NPROC, which the runtime warns of (W-SEC-901)',
    );
  }
  const { out, err } = await limited(setting, { ...tight, maxProcesses: 64 }, forks(200));
  const live = /^EAGAIN (\d+)/.exec(out);
  return entryOf(
    limitRows.forkLimit,
    where,
    live !== null && Number(live[1]) <= 64
      ? { kind: 'held', detail: `EAGAIN with ${live[1]} live: RLIMIT_NPROC, counted in a user namespace of its own` }
      : out.startsWith('all')
        ? { kind: 'through', detail: out.trim() }
        : { kind: 'none', detail: `${out}${err}`.slice(-200) },
  );
}

async function inCgroup(setting: Setting, where: Where): Promise<readonly Entry[]> {
  const resources: ResolvedResources = { ...tight, cgroupMemoryBytes: 256 * mebibyte, cgroupPidsMax: 32 };
  const scope = await openCgroupScope({
    sessionId: `battery-${setting.ground.token}`,
    resources,
    workFolder: setting.ground.folders.work,
  });
  if ('refused' in scope)
    return [limitRows.fork, limitRows.memory].map((each) => refusedEntry(each, where, scope.refused));
  try {
    const before = await scope.counters();
    const forked = await limited(setting, resources, forks(4096), scope);
    const between = await scope.counters();
    const hog = await limited(
      setting,
      resources,
      'a = [bytearray(b"x") * (16 << 20) for _ in range(256)]\nopen("hogged", "w")',
      scope,
    );
    const after = await scope.counters();
    const pids = attribute(forked, before, between);
    const memory = attribute(hog, between, after);
    return [
      entryOf(
        limitRows.fork,
        where,
        pids === 'cgroup_pids_max'
          ? { kind: 'held', detail: `${forked.out.trim()} live: ${pids}` }
          : { kind: 'through', detail: forked.out },
      ),
      entryOf(
        limitRows.memory,
        where,
        memory === 'cgroup_memory_bytes' && hog.exitCode === 137
          ? { kind: 'held', detail: `exit 137: ${memory}` }
          : { kind: 'through', detail: `exit ${hog.exitCode}` },
      ),
    ];
  } finally {
    await scope.close();
  }
}

async function folderFiller(setting: Setting): Promise<Evidence> {
  const { work, temp } = setting.ground.folders;
  const guard = openSizeGuard({ folders: [work, temp], maxBytes: 50 * mebibyte, onBreach: () => {} });
  try {
    const code =
      'import os, sys\nfor n in range(4):\n  for f in sys.argv[1:]: open(f + "/fill%d" % n, "wb").write(bytes(9 << 20))';
    const box = await openBox({
      ...{
        host: setting.host,
        executables: setting.executables,
        resources: tight,
        decision: decisionOf(setting.host, setting.held),
        folders: setting.ground.folders,
      },
      policy: { unixSocketsAllowed: false, workdirExecAllowed: false },
    });
    const filled = await run(box, setting, 'python3', ['-Ic', code, work, box.tempPath]);
    const running = await box.start({
      path: pathOf(setting.executables, 'true'),
      argv0: 'true',
      args: [],
      env: environment(box, setting.ground),
    });
    await running.ended;
    await box.close();
    const breach = await guard.look();
    if (filled.exitCode !== 0) return { kind: 'none', detail: filled.err.slice(-200) };
    if (breach === undefined) return { kind: 'through', detail: 'the guard saw no breach' };
    const { code: name, message } = sizeError(breach);
    return message.includes('workdir_max_bytes')
      ? { kind: 'held', detail: `${name}: ${message}` }
      : { kind: 'none', detail: message };
  } finally {
    await guard.close();
    for (const folder of [work, temp]) for (let n = 0; n < 4; n += 1) writeFileSync(join(folder, `fill${n}`), '');
  }
}
