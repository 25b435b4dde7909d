/**
 * Fifty thousand malformed requests against the door of a live session: each is answered with a proper error or a closed connection,
 * nothing crashes, no rejection is left unhandled (the runner fails the test for one), memory stays flat, and afterwards the door
 * serves. `MUR_SOAK_SECONDS` scales their number; `MUR_SOAK_SEED` repeats a run.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { http, message, rpc } from '../door/client.js';
import { Attacks } from '../door/drill/requests.js';
import { attack } from '../door/drill/wire.js';
import { rehearsal } from '../e2e/cli.js';
import { Library } from '../effects/run.js';
import { Random } from './random.js';

const seconds = Number(process.env.MUR_SOAK_SECONDS ?? 120);
const seed = Number(process.env.MUR_SOAK_SEED ?? Math.floor(Math.random() * 2 ** 32));
const count = Math.max(2_000, Math.round((50_000 * seconds) / 120));
const lanes = 24;
/** What a session may hold of the tasks it remembers and of code that was compiled late. */
const growthBytes = 24 * 1024 * 1024;

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

let library: Library;
beforeAll(() => {
  library = new Library();
});
afterAll(() => library.close());

it(`${count} malformed requests are refused, and leave nothing behind`, async () => {
  process.stdout.write(`soak: ${count} malformed requests, seed ${seed} (MUR_SOAK_SEED=${seed} repeats it)\n`);
  const attacks = new Attacks(new Random(seed));
  const lifecycle = { task_acceptance: 'queue', after_task: 'sleep', queue_depth: 4 };
  const stop = new AbortController();
  const outcomes = new Map<string, number>();
  const faults: string[] = [];
  const heaps: number[] = [];

  const throwAll = async (port: number, number: number) => {
    let left = number;
    const lane = async () => {
      while (left-- > 0) {
        const thrown = attacks.next();
        const { outcomes: told, fault } = await attack(port, thrown);
        for (const outcome of told) outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
        if (fault === undefined) continue;
        faults.push(
          `${thrown.kind}: ${JSON.stringify(Buffer.concat(thrown.pieces).toString('latin1')).slice(0, 2_000)}\n${fault}`,
        );
      }
    };
    await Promise.all(Array.from({ length: lanes }, lane));
    await new Promise((resolve) => setTimeout(resolve, 200));
    for (let times = 0; times < 3; times++) collect();
    heaps.push(process.memoryUsage().heapUsed);
  };

  const drill = async (port: number) => {
    await throwAll(port, Math.round(count / 10));
    await throwAll(port, count - Math.round(count / 10));
    expect((await http(port, { path: '/.well-known/agent-card.json' })).status).toBe(200);
    // What was thrown holds tasks that were well formed: until a place is free.
    const patient = { interval: 100, timeout: 60_000 };
    let sent = { id: '', status: { state: '' } };
    const send = async () => {
      sent = (await rpc(port, 'message/send', message('still there?'))).result;
      return sent.status.state;
    };
    await expect.poll(send, patient).toBe('submitted');
    await expect
      .poll(async () => (await rpc(port, 'tasks/get', { id: sent.id })).result.status.state, patient)
      .toBe('completed');
  };

  let drilled: Promise<void> | undefined;
  const { result } = await library.run(
    rehearsal([{ say: 'Here.' }], { lifecycle }),
    { task: undefined as never },
    {
      signal: stop.signal,
      onNotice: (notice) => {
        if (notice.type !== 'door.listening') return;
        drilled = drill(Number(notice.url.split(':')[1])).finally(() => stop.abort());
      },
    },
  );
  await drilled;
  const lines = [...outcomes]
    .sort((a, b) => b[1] - a[1])
    .map(([what, times]) => `  ${String(times).padStart(6)}  ${what}`);
  const mebibytes = heaps.map((bytes) => (bytes / 1024 / 1024).toFixed(1)).join(' -> ');
  process.stdout.write(`${lines.join('\n')}\n  heap after collection: ${mebibytes} MiB\n`);
  expect(faults.slice(0, 5)).toEqual([]);
  expect(result.status).toMatch(/^(ok|canceled)$/);
  expect(heaps[1]! - heaps[0]!).toBeLessThan(growthBytes);
});
