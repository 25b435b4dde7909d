/** mur's door over a registry and its streams, with a task runner that answers at once. A process of its own. */
import { openDoor, SessionStreams, type TaskPort } from '../../../src/door/index.js';
import { StreamFeed } from '../../../src/effects/stream-feed.js';
import { systemClock } from '../../../src/supervise/clock.js';
import { pageOf, settled, TaskRegistry, type TaskRequest, type TaskSnapshot } from '../../../src/task/index.js';
import { answerText, chunkText, sayChunks, serveParent } from './server.js';

const registry = new TaskRegistry({ acceptance: 'queue', queueDepth: 1_000, now: Date.now });
const feed = new StreamFeed(registry, systemClock);
let isRunning = false;
registry.watch((_task, change) => {
  if (change === 'submitted' && !isRunning) queueMicrotask(runAll);
});

async function runAll(): Promise<void> {
  if (isRunning) return;
  isRunning = true;
  for (let task = registry.next(); task !== undefined; task = registry.next()) {
    registry.start(task.taskId);
    feed.turnBegan(task.taskId, 0);
    const response = task.text === 'stream' ? await streamed(task) : said(task);
    feed.turnEnded(task.taskId, response);
    registry.finish(task.taskId, 'completed', { response });
  }
  isRunning = false;
}

function said({ taskId }: TaskRequest): string {
  feed.text(taskId, answerText);
  return answerText;
}

async function streamed({ taskId }: TaskRequest): Promise<string> {
  let whole = '';
  await sayChunks(() => {
    feed.text(taskId, chunkText);
    whole += chunkText;
  });
  return whole;
}

const unserved = (): never => {
  throw new Error('the load does not ask for this');
};
const tasks: TaskPort = {
  send(request): TaskSnapshot {
    const reply = registry.enqueue(request);
    if (!reply.ok) throw new Error(reply.reason);
    return reply.task;
  },
  waiting: () => registry.waitingTaskId,
  reply: unserved,
  followUp: unserved,
  get: (taskId) => registry.get(taskId),
  history: (taskId) => registry.history(taskId),
  list: (filter, page) => pageOf(registry.list(), filter, page),
  settled: (taskId, told) => settled(registry, taskId, told),
  cancel: unserved,
};

const door = await openDoor({
  bindAddr: '127.0.0.1',
  card: {
    sessionId: 'ses_0199c4e2f1b7712a9d3e4f5061728394',
    name: 'bench',
    version: '0.1.0',
    acceptance: 'queue',
    tools: [],
    shell: false,
    network: false,
    acceptsPeerTasks: false,
  },
  tasks,
  streams: new SessionStreams({ bus: feed.bus, conversation: 'stateless' }),
  clock: systemClock,
});
serveParent(door.port);
