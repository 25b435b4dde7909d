/**
 * A session at work and clients that watch it, while its card is asked for: what is left of the event loop for a health check. Beside
 * it a plain server of the same node is asked the same, since a busy machine makes everybody late. Not a test.
 */
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { rehearsal, type Sandbox } from '../e2e/cli.js';
import { build, guests } from '../fixtures/component/guests.js';
import { gauge, plainServer, script, watcher } from './busy-programs.js';

export interface Probed {
  readonly count: number;
  readonly p99Ms: number;
  readonly maxMs: number;
}

/** The door of the session, and the plain server meanwhile. */
export interface Probes {
  readonly door: Probed;
  readonly plain: Probed;
}

export interface Drilled {
  /** From the first task of the session until its driver has said everything. */
  readonly streaming: Probes;
  /** While its tool runs, which uses a processor up. */
  readonly tool: Probes;
  /** Frames that all clients together read while the driver spoke. */
  readonly frames: number;
  readonly framesPerSecond: number;
  /**
   * Processor time of the session's main thread in the longest turn of its event loop since the task was sent: what nobody else on this
   * machine adds to.
   */
  readonly longestTurnMs: number;
}

export interface Drill {
  readonly watchers: number;
  /** One event each, as many as a thousand a second. */
  readonly words: number;
  readonly toolMs: number;
}

const probeEveryMs = 20;

/** One task of a real session: its driver speaks, then its tool works; it is stopped in the middle of that. */
export async function drill(sandbox: Sandbox, { watchers, words, toolMs }: Drill): Promise<Drilled> {
  await useSpinningTool(sandbox, words);
  const turns = join(sandbox.root, 'turns.json');
  const started = sandbox.start(['run'], { NODE_OPTIONS: `--import ${gauge}`, DRILL_TURNS: turns });
  const port = Number((await started.line('murmur: url ')).split(':')[1]);
  const plain = script(plainServer, []);
  const watching = script(watcher, [String(port), String(watchers)]);
  try {
    const plainPort = Number(await plain.next());
    await watching.next();
    const sentAtMs = Date.now();
    const streaming = await probeWhile([port, plainPort], send(port).then(watching.next));
    const tool = await probeWhile([port, plainPort], sleep(toolMs));
    watching.end();
    const watched = JSON.parse(await watching.next()) as { readonly frames: number; readonly seconds: number };
    started.child.kill('SIGTERM');
    await started.ended;
    return {
      streaming,
      tool,
      frames: watched.frames,
      framesPerSecond: watched.frames / watched.seconds,
      longestTurnMs: longestTurn(turns, sentAtMs),
    };
  } finally {
    started.child.kill('SIGTERM');
    for (const child of [plain, watching]) child.end();
    await Promise.all([started.ended, plain.ended, watching.ended]);
  }
}

async function useSpinningTool(sandbox: Sandbox, words: number): Promise<void> {
  sandbox.write('project/spin/murmur.yaml', 'name: spin\nversion: "1.0.0"\nruntime: tool\n');
  sandbox.write('project/spin/spin.wasm', await build(guests.spin));
  const turns = [{ say: 'word '.repeat(words), delay_ms: 1, call: { tool: 'spin', input: {} } }];
  const manifest = JSON.parse(rehearsal(turns, { lifecycle: { task_acceptance: 'queue', after_task: 'sleep' } }));
  manifest.artifacts.push({ name: 'spin', source: './spin', local_source: true });
  sandbox.manifest(JSON.stringify(manifest));
}

async function send(port: number): Promise<void> {
  const params = { message: { messageId: 'm1', role: 'user', parts: [{ text: 'go' }] } };
  await fetch(`http://127.0.0.1:${port}/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'message/send', params }),
  });
}

/** Asks both in turn, over and over, until `busy` is over. */
async function probeWhile([port, plainPort]: readonly [number, number], busy: Promise<unknown>): Promise<Probes> {
  const times = { door: [] as number[], plain: [] as number[] };
  let isOver = false;
  const over = busy.finally(() => {
    isOver = true;
  });
  do {
    times.plain.push(await probe(plainPort));
    times.door.push(await probe(port));
    await sleep(probeEveryMs);
  } while (!isOver);
  await over;
  return { door: summed(times.door), plain: summed(times.plain) };
}

/** Milliseconds until the card is read, over a connection of its own as a health check opens it. */
async function probe(port: number): Promise<number> {
  const startedMs = performance.now();
  await new Promise<void>((resolve, reject) => {
    const path = '/.well-known/agent-card.json';
    request({ host: '127.0.0.1', port, path, agent: false }, (response) => response.resume().on('end', resolve))
      .on('error', reject)
      .end();
  });
  return performance.now() - startedMs;
}

function summed(times: readonly number[]): Probed {
  const sorted = times.toSorted((a, b) => a - b);
  return { count: sorted.length, p99Ms: sorted[Math.floor((sorted.length - 1) * 0.99)]!, maxMs: sorted.at(-1)! };
}

function longestTurn(file: string, sinceMs: number): number {
  const turns = JSON.parse(readFileSync(file, 'utf8')) as [number, number][];
  return Math.max(0, ...turns.filter(([atMs]) => atMs > sinceMs).map(([, tookMs]) => tookMs));
}
