/**
 * A session at work and clients that watch it, while its card is asked for: what is left of the event loop for a health check. Beside
 * it a plain server of the same node is asked the same, since a busy machine makes everybody late. Not a test.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { rehearsal, type Sandbox } from '../e2e/cli.js';
import { build, guests } from '../fixtures/component/guests.js';

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
  /** From the launch over the first task until its driver has said everything. */
  readonly streaming: Probes;
  /** While its tool runs, which uses a processor up. */
  readonly tool: Probes;
  /** Frames that all clients together read while the driver spoke. */
  readonly frames: number;
  readonly framesPerSecond: number;
  /**
   * Processor time of the session's main thread in the longest turn of its event loop since the door was open: what nobody else on this
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
  const openedAtMs = Date.now();
  const plain = script(plainServer, []);
  const watching = script(watcher, [String(port), String(watchers)]);
  try {
    const plainPort = Number(await plain.next());
    await watching.next();
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
      longestTurnMs: longestTurn(turns, openedAtMs),
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

/**
 * Loaded into the session: notes what its main thread computed between two looks, five milliseconds apart when nothing holds them up.
 * The first field of schedstat is time on a processor, in nanoseconds.
 */
const gauge = `data:text/javascript,${encodeURIComponent(`
import { readFileSync, writeFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';
if (isMainThread) {
  const spent = () => Number(readFileSync('/proc/self/task/' + process.pid + '/schedstat', 'utf8').split(' ', 1)[0]) / 1e6;
  const turns = [];
  let last = spent();
  setInterval(() => {
    const now = spent();
    if (now - last > 10) turns.push([Date.now(), now - last]);
    last = now;
  }, 5).unref();
  process.on('exit', () => writeFileSync(process.env.DRILL_TURNS, JSON.stringify(turns)));
}`)}`;

function longestTurn(file: string, sinceMs: number): number {
  const turns = JSON.parse(readFileSync(file, 'utf8')) as [number, number][];
  return Math.max(0, ...turns.filter(([atMs]) => atMs > sinceMs).map(([, tookMs]) => tookMs));
}

/** Watches on `count` streams: says `open`, then `called` when a tool call has begun on all, then the frames until then. */
const watcher = `
const [port, count] = process.argv.slice(1).map(Number);
const { request } = require('node:http');
let frames = 0, opened = 0, called = 0, first = 0, last = 0;
const method = 'POST', headers = { 'content-type': 'application/json' };
for (let at = 0; at < count; at += 1) {
  let isCalled = false;
  const asked = request({ port, host: '127.0.0.1', method, headers }, (response) => {
    if (++opened === count) console.log('open');
    response.setEncoding('latin1').on('data', (text) => {
      if (isCalled) return;
      last = performance.now();
      first ||= last;
      frames += text.split('\\ndata: ').length - 1;
      isCalled = text.includes('event: tool-call-started');
      if (isCalled && ++called === count) console.log('called');
    }).on('error', () => {});
  });
  asked.on('error', () => {}).end(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'stream/watch' }));
}
process.stdin.on('end', () => {
  console.log(JSON.stringify({ frames, seconds: (last - first) / 1000 }));
  process.exit();
}).resume();
`;

const plainServer = `
const server = require('node:http').createServer((_, response) => response.end('{}'));
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
process.stdin.on('end', () => process.exit()).resume();
`;

/** A node program on its own, so that its work delays nobody who measures; it ends with its input. */
function script(text: string, args: readonly string[]) {
  const child: ChildProcess = spawn(process.execPath, ['-e', text, ...args], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines: Interface = createInterface({ input: child.stdout! });
  const said = lines[Symbol.asyncIterator]();
  return {
    async next(): Promise<string> {
      const { value, done } = await said.next();
      if (done) throw new Error('a program of the drill ended too early');
      return value;
    },
    end: () => void child.stdin!.end(),
    ended: once(child, 'close'),
  };
}
