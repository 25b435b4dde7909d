/**
 * A client that stalls for a minute while a hundred thousand events pass, in each dialect: memory stays bounded, it is told what it
 * lost, it is given the end, and nobody else notices (issue 7; cases/reports row 34). `MUR_SOAK_SECONDS` under 60 shortens the stall
 * and the number of events with it.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { SessionStreams } from '../../src/door/index.js';
import { StreamFeed } from '../../src/effects/stream-feed.js';
import { systemClock } from '../../src/supervise/clock.js';
import { TaskRegistry } from '../../src/task/index.js';
import { http, type OpenedDoor, open, portOf } from '../door/client.js';
import { asked, Follower, reply, said } from '../door/drill/follow.js';
import { taskRequest } from '../door/stream/client.js';

const seconds = Math.min(60, Number(process.env.MUR_SOAK_SECONDS ?? 60));
const count = Math.round((100_000 * seconds) / 60);
const perTick = 20;
/** Each dialect several times over: what one costs shows. */
const stalledEach = 5;

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;
const heap = () => {
  for (let times = 0; times < 3; times++) collect();
  return process.memoryUsage().heapUsed + process.memoryUsage().external;
};

let opened: OpenedDoor;
let tasks: TaskRegistry;
let feed: StreamFeed;
const lags: number[] = [];
beforeAll(async () => {
  tasks = new TaskRegistry({ acceptance: 'queue', queueDepth: 4, now: Date.now });
  feed = new StreamFeed(tasks, systemClock);
  const streams = new SessionStreams({
    bus: feed.bus,
    conversation: 'stateless',
    onLag: (missed) => lags.push(missed),
  });
  opened = await open({}, { tasks: portOf(tasks), streams });
});
afterAll(() => opened.door.close());

const chunk = 'x'.repeat(1_000);

it(`a stall of ${seconds} s while ${count} events pass`, async () => {
  const { port } = opened.door;
  tasks.enqueue(taskRequest('tsk_a'));
  tasks.start('tsk_a');
  feed.turnBegan('tsk_a', 0);
  const watch = { jsonrpc: '2.0', id: 1, method: 'stream/watch', params: {} };
  const subscribe = (speech: 'v03' | 'v1', id: string) => asked(speech, 'subscribe', { id: 'tsk_a' }, id);
  const make = (name: string) => [
    new Follower(port, watch),
    new Follower(port, subscribe('v03', `v03 ${name}`)),
    new Follower(port, subscribe('v1', `v1 ${name}`)),
  ];
  const stalled = Array.from({ length: stalledEach }, (_, at) => make(`slow ${at}`)).flat();
  const quick = make('quick');
  await Promise.all([...stalled, ...quick].map(({ begun }) => begun));
  await Promise.all(stalled.map((follower) => follower.pause()));

  // What a task says in one turn is kept for who comes in late, so a turn is no place to count bytes: each has a thousand events.
  const told: number[] = [];
  let probesLate = 0;
  const before = heap();
  for (let sent = 0; sent < count; ) {
    const until = Math.min(count, sent + perTick);
    for (; sent < until; sent++) {
      if (sent % 1_000 === 999) feed.turnBegan('tsk_a', sent);
      else feed.text('tsk_a', `${sent} ${chunk}`);
    }
    await new Promise((resolve) => setTimeout(resolve, (seconds * 1_000 * perTick) / count));
    if (sent % (count / 10) !== 0) continue;
    for (const follower of quick) follower.forget();
    told.push(heap());
    const asked = performance.now();
    expect((await http(port, { path: '/.well-known/agent-card.json' })).status).toBe(200);
    if (performance.now() - asked > 1_000) probesLate += 1;
  }
  const growth = Math.max(...told) - before;
  const mebibytes = (bytes: number) => (bytes / 1024 / 1024).toFixed(1);
  process.stdout.write(
    `soak: ${count} events past ${stalled.length} stalled clients, ${told.map((bytes) => mebibytes(bytes - before)).join(' ')} MiB more held\n`,
  );
  // Each may hold a queue, the text of it that its socket refused, and what Node keeps of a socket; the log holds what it holds.
  expect(growth).toBeLessThan(32 * 1024 * 1024);
  expect(probesLate).toBe(0);
  const lastSaid = feed.bus.lastId;

  await Promise.all(stalled.map((follower) => follower.resume()));
  feed.turnBegan('tsk_a', count);
  tasks.finish('tsk_a', 'completed', { response: 'the answer' });
  const [mur, v03, v1] = [0, 1, 2].map((kind) => stalled.filter((_, at) => at % 3 === kind));
  for (const { over, frames } of [...v03!, ...v1!, ...quick.slice(1)]) {
    await over;
    const [answer, end] = frames
      .slice(-2)
      .map(({ data: { result } }) => result.artifactUpdate ?? result.statusUpdate ?? result);
    expect(answer).toMatchObject({ artifact: { parts: [{ text: 'the answer' }] }, append: false, lastChunk: true });
    expect(end.status.state).toMatch(/completed$/i);
    expect(new Set(frames.map(({ data }) => data.id)).size).toBe(1);
  }
  expect((await reply(port, asked('mur', 'send', said('mur', 'after')))).result.status.state).toBe('submitted');
  feed.close();
  for (const { over, frames } of mur!) {
    await over;
    const ids = frames.flatMap(({ id }) => id ?? []);
    const missed = frames.filter(({ event }) => event === 'lagged').reduce((sum, { data }) => sum + data.missed, 0);
    expect(missed).toBeGreaterThan(count / 2);
    expect(ids.length + missed).toBe(feed.bus.lastId - ids[0]! + 1);
    expect(ids.filter((id) => id > lastSaid).length).toBe(feed.bus.lastId - lastSaid);
    expect(ids.every((id, at) => at === 0 || id > ids[at - 1]!)).toBe(true);
    expect(frames.at(-1)).toEqual({ event: 'capsule-closed', data: {} });
  }
  // Nobody who reads lost anything.
  expect(lags).toHaveLength(stalled.length);
  expect(quick[0]!.seen).toBe(feed.bus.lastId);
});
