/**
 * A whole session asked through its door: the task is queued, a chart runs it, the rehearsal driver is called in a fresh instance of its
 * component, the trace is written and synced, and the answer goes back over a connection that stays open. Beside it the door alone, over
 * a registry that answers at once: what is between the two is the session.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Child } from './door-load/child.js';
import type { Load, Loaded } from './door-load/client.js';
import { answerText } from './door-load/server.js';
import type { Row } from './row.js';

const main = fileURLToPath(new URL('../../src/bin/mur.js', import.meta.url));
const rounds = 3;
const warmUpMs = 1_500;
const measuredMs = 1_500;
const connectionSteps = [1, 8] as const;

const manifest = {
  name: 'bench',
  version: '0.1.0',
  artifacts: [{ name: 'mur-driver-rehearsal', version: '0.1.0', runtime: 'driver' }],
  inference: {
    model: 'rehearsal',
    driver: { artifact: 'mur-driver-rehearsal', config: { turns: [{ say: answerText }] } },
  },
  lifecycle: { task_acceptance: 'queue', after_task: 'sleep', queue_depth: 16 },
};

export async function run(): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'mur-bench-'));
  const { child: client } = await Child.start<Load, Loaded>('./client.js');
  const { child: bare, first } = await Child.start('./mur.js');
  const session = await startSession(folder);
  try {
    const ports = { session: session.port, door: (first as { readonly port: number }).port };
    const ask = (name: keyof typeof ports, connections: number, ms: number) =>
      client.ask({ port: ports[name], kind: 'ask', connections, ms });
    for (const name of ['session', 'door'] as const) await ask(name, 8, warmUpMs);
    const rows: Row[] = [];
    for (const connections of connectionSteps) {
      const loads = { session: [] as Loaded[], door: [] as Loaded[] };
      for (let round = 0; round < rounds; round += 1) {
        for (const name of ['door', 'session'] as const) loads[name].push(await ask(name, connections, measuredMs));
      }
      const door = rowOf(`the door alone, ${connections} at once`, loads.door);
      const whole = rowOf(`a whole session, ${connections} at once`, loads.session);
      rows.push(door, { ...whole, ratio: whole.value / door.value });
    }
    return rows;
  } finally {
    await Promise.all([client.stop(), bare.stop(), session.stop()]);
    rmSync(folder, { recursive: true });
  }
}

/** Of the answers, one half are looks at a task that is over, which cost little: the times are those of the messages. */
function rowOf(name: string, loads: readonly Loaded[]): Row {
  const median = (of: (load: Loaded) => number) => loads.map(of).toSorted((a, b) => a - b)[loads.length >> 1]!;
  const perSecond = median(({ answers, ms }) => (answers / 2 / ms) * 1_000);
  return { name, value: perSecond, unit: 'tasks/s', note: `p99 ${median(({ p99Ms }) => p99Ms).toPrecision(3)} ms` };
}

async function startSession(folder: string) {
  const [file, workdir] = [join(folder, 'murmur.yaml'), join(folder, 'work')];
  mkdirSync(workdir);
  writeFileSync(file, JSON.stringify(manifest));
  const child = spawn(process.execPath, [main, 'run', '--manifest', file, '--workdir', workdir], {
    env: { PATH: process.env.PATH, HOME: folder },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const ended = once(child, 'close');
  for await (const line of createInterface({ input: child.stdout })) {
    const [, port] = /^murmur: url localhost:(\d+)$/.exec(line) ?? [];
    if (port === undefined) continue;
    return {
      port: Number(port),
      async stop(): Promise<void> {
        child.kill('SIGTERM');
        await ended;
      },
    };
  }
  throw new Error('the session ended before its door was open');
}
