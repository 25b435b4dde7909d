/** The drill of test/soak/door-fuzz.test.ts in small: a door over a registry, a fixed seed. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { SessionStreams } from '../../../src/door/index.js';
import { StreamFeed } from '../../../src/effects/stream-feed.js';
import { systemClock } from '../../../src/supervise/clock.js';
import { TaskRegistry } from '../../../src/task/index.js';
import { Random } from '../../soak/random.js';
import { http, message, type OpenedDoor, open, portOf, rpc } from '../client.js';
import { Attacks } from './requests.js';
import { attack } from './wire.js';

let opened: OpenedDoor;
beforeAll(async () => {
  const tasks = new TaskRegistry({ acceptance: 'queue', queueDepth: 4, now: Date.now });
  const feed = new StreamFeed(tasks, systemClock);
  const streams = new SessionStreams({ bus: feed.bus, conversation: 'stateless' });
  // Nobody runs tasks here, so whoever waits for one is let go when it is canceled.
  tasks.watch((task, change) => change === 'submitted' && setTimeout(() => tasks.cancel(task.taskId), 5));
  opened = await open({}, { tasks: portOf(tasks), streams });
});
afterAll(() => opened.door.close());

it('whatever arrives is answered with a proper error or a closed connection, and the door lives on', async () => {
  const attacks = new Attacks(new Random(7));
  const { port } = opened.door;
  const lane = async () => {
    for (let left = 125; left > 0; left--) {
      const thrown = attacks.next();
      const { fault } = await attack(port, thrown);
      const shown = Buffer.concat(thrown.pieces).toString('latin1').slice(0, 1_000);
      expect(fault, `${thrown.kind}: ${JSON.stringify(shown)}`).toBeUndefined();
    }
  };
  await Promise.all(Array.from({ length: 8 }, lane));
  expect((await http(port, { path: '/.well-known/agent-card.json' })).status).toBe(200);
  expect((await rpc(port, 'message/send', message('still there?'))).result.status.state).toBe('submitted');
});
