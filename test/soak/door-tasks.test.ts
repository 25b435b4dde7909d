/**
 * A hundred thousand tasks through one door: what is remembered of them is bounded (src/task/retention.ts), a listing goes on where it
 * was while tasks come and go, and the door answers as fast at the end as in the beginning. Then a live session, whose every other
 * part has to let go of its tasks too. `MUR_SOAK_SECONDS` scales both; `MUR_SOAK_SEED` repeats a run.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { openDoor, SessionStreams } from '../../src/door/index.js';
import { StreamFeed } from '../../src/effects/stream-feed.js';
import { murmurHome } from '../../src/home/index.js';
import { prepareRun } from '../../src/index.js';
import { systemClock } from '../../src/supervise/clock.js';
import { launch } from '../../src/supervise/launch.js';
import { endedBound, isFinal, TaskRegistry } from '../../src/task/index.js';
import { createWasmHost } from '../../src/wasm/index.js';
import { cardInput, portOf } from '../door/client.js';
import { rehearsal, Sandbox } from '../e2e/cli.js';
import { Random } from './random.js';

const seconds = Number(process.env.MUR_SOAK_SECONDS ?? 120);
const seed = Number(process.env.MUR_SOAK_SEED ?? Math.floor(Math.random() * 2 ** 32));

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;
const heap = () => {
  for (let times = 0; times < 3; times++) collect();
  return process.memoryUsage().heapUsed;
};
const mebibytes = (bytes: number) => (bytes / 1024 / 1024).toFixed(1);

/** Connections that were closed while a request was on its way to them: HTTP's own race, on a machine that stands still for seconds. */
let resets = 0;

// biome-ignore lint/suspicious/noExplicitAny: replies are read freely in tests
async function ask(url: string, method: string, params: object): Promise<any> {
  const send = () =>
    fetch(`http://${url}/`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
  const response = await send().catch(() => {
    resets += 1;
    return send();
  });
  return ((await response.json()) as { result: unknown }).result;
}

const text = (words: string) => ({ message: { messageId: 'm', role: 'user', parts: [{ text: words }] } });

describe('a door', () => {
  const count = Math.max(12_000, Math.round((100_000 * seconds) / 120));

  it(`remembers the last of ${count} tasks, and no more`, async () => {
    process.stdout.write(`soak: ${count} tasks, seed ${seed} (MUR_SOAK_SEED=${seed} repeats it)\n`);
    const random = new Random(seed);
    const tasks = new TaskRegistry({ acceptance: 'queue', queueDepth: 64, now: Date.now });
    const feed = new StreamFeed(tasks, systemClock);
    const door = await openDoor({
      bindAddr: '127.0.0.1',
      card: cardInput,
      tasks: portOf(tasks),
      streams: new SessionStreams({ bus: feed.bus, conversation: 'stateless' }),
      clock: systemClock,
    });
    // Whoever runs tasks, here: at once, one after the other, each to an end of its own.
    const run = () => {
      for (let next = tasks.next(); next !== undefined; next = tasks.next()) {
        tasks.start(next.taskId);
        feed.turnBegan(next.taskId, 0);
        feed.text(next.taskId, 'word '.repeat(random.between(1, 200)));
        feed.turnEnded(next.taskId, 'word');
        tasks.finish(next.taskId, random.pick(['completed', 'completed', 'failed']), { response: 'word'.repeat(200) });
      }
    };
    tasks.watch((_task, change) => change === 'submitted' && setImmediate(run));

    let first = '';
    let sent = 0;
    const lane = async () => {
      while (sent++ < count) {
        const task = await ask(door.url, 'message/send', text('go '.repeat(random.between(1, 100))));
        first ||= task.id;
        if (random.next() < 0.1) await ask(door.url, 'tasks/cancel', { id: task.id });
      }
    };
    // Beside them somebody reads the list, page by page, again and again.
    const walks: number[] = [];
    let isOver = false;
    const reader = async () => {
      while (!isOver) {
        const seen = new Set<string>();
        let pages = 0;
        for (let pageToken = ''; ; ) {
          const page = await ask(door.url, 'ListTasks', { pageSize: 100, pageToken });
          for (const { id } of page.tasks) {
            expect(seen.has(id)).toBe(false);
            seen.add(id);
          }
          pageToken = page.nextPageToken;
          pages += 1;
          if (pageToken === '' || pages === 40) break;
        }
        walks.push(seen.size);
      }
    };
    const walking = reader();
    const marks: number[] = [];
    const mark = setInterval(() => {
      if (tasks.list().length >= endedBound.tasks) marks.push(heap());
    }, 2_000);
    const started = performance.now();
    await Promise.all(Array.from({ length: 16 }, lane));
    clearInterval(mark);
    isOver = true;
    await walking;
    marks.push(heap());
    const rate = Math.round((count * 1_000) / (performance.now() - started));
    process.stdout.write(
      `  ${rate} tasks/s, ${walks.length} walks of ${Math.max(...walks)} at most, heap ${marks.map(mebibytes).join(' ')} MiB, ${resets} resets\n`,
    );
    expect(resets).toBeLessThanOrEqual(count / 10_000);
    await expect.poll(() => tasks.list().every(({ state }) => isFinal(state))).toBe(true);
    expect(tasks.list().filter(({ state }) => state !== 'rejected').length).toBe(endedBound.tasks);
    expect(tasks.get(first)).toBeUndefined();
    expect(Math.max(...marks) - Math.min(...marks)).toBeLessThan(24 * 1024 * 1024);
    await door.close();
  });
});

describe('a live session', () => {
  const count = Math.max(60, Math.round((600 * seconds) / 120));

  it(`lets go of ${count} tasks`, async () => {
    const sandbox = new Sandbox();
    const home = murmurHome({ HOME: sandbox.home });
    const wasm = createWasmHost({ cacheDir: home.compiled });
    const stop = new AbortController();
    const lifecycle = { task_acceptance: 'queue', after_task: 'sleep', queue_depth: 8 };
    const list = { call: { tool: 'mur-tool-files', input: { action: 'list' } } };
    const marks: number[] = [];
    let ended = 0;
    let url = '';
    const turns = [{ say: 'I look.', ...list }, { say: 'All there. '.repeat(20) }];
    const manifestPath = sandbox.manifest(rehearsal(turns, { lifecycle }));
    const { request } = prepareRun({ manifestPath }, { HOME: sandbox.home });
    await launch(request, {
      home,
      wasm,
      signal: stop.signal,
      onNotice: (notice) => {
        if (notice.type === 'door.listening') {
          url = notice.url;
          for (let at = 0; at < 4; at++) void ask(url, 'message/send', text('go'));
        }
        if (notice.type !== 'task.ended') return;
        ended += 1;
        if (ended % Math.round(count / 10) === 0) marks.push(heap());
        if (ended === count) stop.abort();
        else void ask(url, 'message/send', text('go')).catch(() => undefined);
      },
    });
    await wasm.close();
    sandbox.remove();
    // What each task may leave: what is remembered of it. The rest of the growth is code that is compiled as it gets warm.
    const [settled, last] = [marks[4]!, marks.at(-1)!];
    const perTask = (last - settled) / (count / 2);
    process.stdout.write(
      `  ${ended} tasks, heap ${marks.map(mebibytes).join(' ')} MiB: ${Math.round(perTask)} bytes a task\n`,
    );
    expect(last - settled).toBeLessThan(2 * 1024 * 1024 + (count / 2) * 4_096);
  });
});
