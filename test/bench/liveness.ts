/**
 * Layers 1 and 2 over the records of a busy machine, against asking `ps` for each process and against the least that any way must
 * do: reading `/proc/<pid>/stat` once for each record. All processes are real; the reused ones are live pids under another start.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import {
  type ProcessIdentity,
  processState,
  scanRecords,
  signalProcess,
  startToken,
} from '../../src/liveness/index.js';
import type { Row } from './row.js';

const alive = 600;
const gone = 200;
const reused = 200;
const count = alive + gone + reused;
const rounds = 15;
const warmUps = 3;
/** `ps` takes milliseconds, so it is measured on every tenth record and scaled. */
const psShare = 10;

export async function run(): Promise<Row[]> {
  // One shell owns them all: they end with it.
  const script = `for n in $(seq ${alive + reused}); do sleep 600 & echo $!; done; wait`;
  const owner = spawn('setsid', ['sh', '-c', script], { stdio: ['ignore', 'pipe', 'ignore'] });
  const closed = once(owner, 'close');
  const folder = mkdtempSync(join(tmpdir(), 'mur-bench-'));
  try {
    const records = shuffled(recordsOf(await pidsFrom(owner.stdout)));
    records.forEach(writeInto(folder));
    return rowsOf(records, folder);
  } finally {
    // A group of our own, made by setsid, and its leader is a child of this process.
    process.kill(-owner.pid!, 'SIGKILL');
    await closed;
    rmSync(folder, { recursive: true });
  }
}

async function pidsFrom(output: NodeJS.ReadableStream): Promise<number[]> {
  const pids: number[] = [];
  for await (const line of createInterface({ input: output })) {
    pids.push(Number(line));
    if (pids.length === alive + reused) break;
  }
  return pids;
}

function recordsOf(pids: readonly number[]): ProcessIdentity[] {
  const living = pids.map((pid) => ({ pid, process_start: startToken(pid) ?? '' }));
  return [
    ...living.slice(0, alive),
    ...living.slice(alive).map(({ pid }) => ({ pid, process_start: '1' })),
    // Above the largest pid a kernel gives, so that nothing takes these numbers meanwhile.
    ...Array.from({ length: gone }, (_, index) => ({ pid: 0x7fffffff - index, process_start: '1' })),
  ];
}

function writeInto(folder: string) {
  return ({ pid, process_start }: ProcessIdentity, index: number): void => {
    const session_id = `ses_${String(index).padStart(32, '0')}`;
    const record = {
      session_id,
      url: '127.0.0.1:1',
      pid,
      process_start,
      capsule_name: 'bench',
      capsule_version: '0.1.0',
      workdir: '/records/of/this/session',
      outlives_launcher: true,
      started_at: '2026-01-01T00:00:00Z',
    };
    writeFileSync(join(folder, `${session_id}.json`), JSON.stringify(record, null, 2));
  };
}

function rowsOf(records: readonly ProcessIdentity[], folder: string): Row[] {
  const times = {
    ours: [] as number[],
    floor: [] as number[],
    ps: [] as number[],
    disk: [] as number[],
    signal: [] as number[],
  };
  const [someone] = records.filter(({ process_start }) => process_start === '1');
  for (let round = -warmUps; round < rounds; round += 1) {
    const ours = timed(() => sweep(records));
    const floor = timed(() => records.forEach(readOnce));
    const disk = timed(() => sweep(scanRecords(folder).records));
    const signal = timed(() => {
      for (let times = 0; times < count; times += 1) signalProcess(someone!, 'SIGTERM');
    });
    if (round < 0) continue;
    times.ours.push(ours);
    times.floor.push(floor);
    times.disk.push(disk);
    times.signal.push(signal / count);
  }
  const sample = records.filter((_, index) => index % psShare === 0);
  for (let round = 0; round < 3; round += 1) times.ps.push(timed(() => sample.forEach(askPs)) * psShare);
  const [ours, floor, ps, disk] = [median(times.ours), median(times.floor), median(times.ps), median(times.disk)];
  return [
    { name: `floor: one readFileSync of /proc/<pid>/stat for each of ${count} records`, value: floor, unit: 'ms' },
    {
      name: `mur: layers 1 and 2 of ${count} records`,
      value: ours,
      unit: 'ms',
      ratio: ours / floor,
      note: `${alive} alive, ${gone} gone, ${reused} reused; within 3`,
    },
    { name: `mur: the same, with reading the ${count} files`, value: disk, unit: 'ms', ratio: disk / floor },
    {
      name: `one ps for each of ${count} records`,
      value: ps,
      unit: 'ms',
      ratio: ps / floor,
      note: `${Math.round(ps / ours)} times mur, at least 20; measured on ${count / psShare} of them and scaled`,
    },
    { name: 'mur: verify before a signal, through pidfd', value: median(times.signal) * 1_000, unit: 'us' },
  ];
}

/** Checks what it counts, so that no part of the work can be left out. */
function sweep(records: readonly ProcessIdentity[]): void {
  const verdicts = { Alive: 0, Unverified: 0, Gone: 0 };
  for (const record of records) verdicts[processState(record).verdict] += 1;
  if (verdicts.Alive !== alive || verdicts.Gone !== gone + reused) throw new Error(JSON.stringify(verdicts));
}

function readOnce({ pid }: ProcessIdentity): void {
  try {
    readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    // Nobody holds it; the attempt is what is measured.
  }
}

function askPs({ pid }: ProcessIdentity): void {
  spawnSync('ps', ['-o', 'lstart=', '-p', String(pid)]);
}

function timed(work: () => void): number {
  const startedAt = performance.now();
  work();
  return performance.now() - startedAt;
}

/** The same order every time, and no two neighbours of one kind by design. */
function shuffled<T>(items: readonly T[]): T[] {
  return items.map((_, index) => items[(index * 389) % items.length]!);
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
}
