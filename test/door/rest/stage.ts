/** A door with streams over a registry, whose tasks do what their text says. */
import { type Door, type DoorAuth, openDoor, SessionStreams } from '../../../src/door/index.js';
import { StreamFeed } from '../../../src/effects/stream-feed.js';
import { systemClock } from '../../../src/supervise/clock.js';
import { TaskRegistry } from '../../../src/task/index.js';
import { cardInput, portOf } from '../client.js';

export interface RestStage {
  readonly door: Door;
  readonly url: string;
  readonly tasks: TaskRegistry;
  readonly feed: StreamFeed;
  close(): Promise<void>;
}

/** A task that begins with "wait" stays at work, one that begins with "ask" asks first, any other is answered with its own text. */
export async function openStage(auth?: DoorAuth): Promise<RestStage> {
  const tasks = new TaskRegistry({ acceptance: 'queue', queueDepth: 64, now: Date.now });
  const feed = new StreamFeed(tasks, systemClock);
  const door = await openDoor({
    bindAddr: '127.0.0.1',
    card: cardInput,
    tasks: portOf(tasks),
    streams: new SessionStreams({ bus: feed.bus, conversation: 'stateless' }),
    auth,
    clock: systemClock,
    limits: { lingerMs: 200, closeMs: 1_000 },
  });
  const answer = (taskId: string, text: string) => {
    for (const word of text.split(/(?<= )/)) feed.text(taskId, word);
    feed.turnEnded(taskId, text);
    tasks.finish(taskId, 'completed', { response: text });
  };
  const unwatch = tasks.watch((task, change) => {
    // Whoever runs a task gives its place back.
    if (task.state === 'canceled') queueMicrotask(() => tasks.finish(task.taskId, 'canceled'));
    if (change !== 'submitted') return;
    queueMicrotask(() => {
      const next = tasks.next();
      if (next === undefined) return;
      const { taskId, text } = next;
      tasks.start(taskId);
      feed.turnBegan(taskId, 0);
      if (text.startsWith('ask')) tasks.setInputRequired(taskId, 'which one?', (reply) => answer(taskId, reply));
      else if (!text.startsWith('wait')) answer(taskId, text);
    });
  });
  return {
    door,
    url: `http://localhost:${door.port}`,
    tasks,
    feed,
    async close() {
      unwatch();
      feed.close();
      await door.close();
    },
  };
}
