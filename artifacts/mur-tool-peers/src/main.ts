/** Another agent, for a model: sends through the runtime, which says for whom, and looks at the task over HTTP. Read next: look.ts. */
import { answer, fail, peers, sleep } from 'mur:tool';
import { isOver, look, type Told } from './look.js';

interface Input {
  readonly action?: unknown;
  readonly url?: unknown;
  readonly text?: unknown;
  readonly context_id?: unknown;
  readonly task_id?: unknown;
  readonly wait_seconds?: unknown;
}

const longestWaitSeconds = 3600;
/** Between two looks at a task; doubled up to the second. */
const [firstPauseMs, mostPauseMs] = [50, 1000];

export async function run(input: Input): Promise<unknown> {
  const url = text(input, 'url');
  switch (input.action) {
    case 'ask':
      return ask(url, input);
    case 'tell':
      return told(url, sent(url, input), 'mutate');
    case 'look':
      return told(url, await look(url, text(input, 'task_id')), 'read');
    default:
      return fail(`action must be ask, tell or look, got ${JSON.stringify(input.action) ?? 'none'}`);
  }
}

async function ask(url: string, input: Input): Promise<unknown> {
  const seconds = waitOf(input);
  let task = sent(url, input);
  const until = Date.now() + seconds * 1000;
  for (let pause = firstPauseMs; !isOver(task) && Date.now() < until; pause = Math.min(mostPauseMs, pause * 2)) {
    await sleep(Math.min(pause, Math.max(0, until - Date.now())));
    task = await look(url, task.task_id);
  }
  return told(url, task, 'mutate');
}

function sent(url: string, input: Input): Told {
  const context = input.context_id === undefined ? undefined : text(input, 'context_id');
  const { taskId, contextId, state } = peers.send(url, text(input, 'text'), context);
  return { task_id: taskId, context_id: contextId, state };
}

function told(url: string, task: Told, effect: 'read' | 'mutate'): unknown {
  return answer(task, { summary: `${url}: ${task.state}`, effect, resource: `${url} ${task.task_id}` });
}

function text(input: Input, key: keyof Input): string {
  const value = input[key];
  return typeof value === 'string' && value !== '' ? value : fail(`${key} must be a text`);
}

function waitOf({ wait_seconds: seconds = 60 }: Input): number {
  if (typeof seconds === 'number' && Number.isInteger(seconds) && seconds >= 1 && seconds <= longestWaitSeconds)
    return seconds;
  return fail(`wait_seconds must be a whole number from 1 to ${longestWaitSeconds}, got ${JSON.stringify(seconds)}`);
}
