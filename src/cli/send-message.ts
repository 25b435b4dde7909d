import { setTimeout as sleep } from 'node:timers/promises';
import { type DoorTarget, type DoorTask, getTask, hasEnded, openWatch, sendText } from '../door-client/index.js';
import { MurError } from '../errors/index.js';
import type { CliContext, ExitStatus } from './context.js';
import { doorOf } from './door-address.js';
import { FrameView, frameJson, frameOf, resultLinesOnScreen, taskIn } from './frame-view.js';
import { block } from './safe-text.js';
import type { SendFlags } from './send.js';
import { readStandardInput } from './stdin.js';
import { styleFor, wantsColor } from './style.js';
import { answerLine, contextLine, taskJson, taskLines } from './task-view.js';

/** Between two looks at a task that is waited for: short at first, for an answer that is there at once. */
const [firstPauseMs, longestPauseMs] = [50, 1_000];

/** What a door takes of one request, less what surrounds the text and what JSON adds to it (spec/door.md section 2). */
const maxTextBytes = 4 * 1024 * 1024;
const tooLarge = () =>
  new MurError('E-IO-003', `the text is larger than ${maxTextBytes} bytes`, {
    hint: 'leave it in a file that the session can read, and send its name',
  });

/** The state of a task that waits for a person. */
const asking = 'input-required';

/** Sends the message and, where it was asked to, stays with its task. Throws what the door refused it with. */
export async function send(flags: SendFlags, context: CliContext): Promise<ExitStatus> {
  const target = await doorOf(flags, context);
  const text = flags.text === '-' ? await readStandardInput(maxTextBytes, tooLarge) : flags.text;
  if (text.trim() === '') {
    throw new MurError('E-IO-003', 'the message is blank: there is nothing to send', {
      hint: 'put a text in quotes, or - and a text on standard input',
    });
  }
  if (flags.stream === true) return streamed(target, { ...flags, text }, context);
  const taken = await sendText(target, text, flags.context);
  const task = flags.wait === true ? await settled(target, taken) : taken;
  print(task, target, flags, context);
  return flags.wait === true ? statusOf(task.state) : Number(task.state === 'rejected');
}

/** A door of any age tells how a task stands; not every one can be made to wait. */
async function settled(target: DoorTarget, taken: DoorTask): Promise<DoorTask> {
  let task = taken;
  for (let pauseMs = firstPauseMs; !hasEnded(task); pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
    await sleep(pauseMs);
    task = await getTask(target, taken.id);
  }
  return task;
}

function print(task: DoorTask, target: DoorTarget, { json, wait }: SendFlags, { stdout, stderr }: CliContext): void {
  if (json === true) stdout.write(`${taskJson(task)}\n`);
  else if (wait !== true) stdout.write(`${[...taskLines(task), contextLine(task)].join('\n')}\n`);
  else if (task.response !== undefined) {
    stdout.write(`${(stdout.isTerminal ? block(task.response) : task.response).trimEnd()}\n`);
  } else {
    const answer = task.state === asking ? [answerLine(target)] : [];
    stderr.write(`${[...taskLines(task), ...answer].join('\n')}\n`);
  }
}

/**
 * The stream is opened before the message is sent, so nothing of its task is missed; what other tasks do is left out. A message that is a
 * reply belongs to a task with a past, which is shown too.
 */
async function streamed(target: DoorTarget, flags: SendFlags, context: CliContext): Promise<ExitStatus> {
  const { stdout, env } = context;
  const stream = await openWatch(target, 0);
  try {
    const taken = await sendText(target, flags.text, flags.context);
    if (taken.state === 'rejected') {
      print(taken, target, flags, context);
      return 1;
    }
    const style = styleFor(wantsColor({ isTerminal: stdout.isTerminal, env, noColor: !flags.color }));
    const limits = stdout.isTerminal ? { resultLines: resultLinesOnScreen } : {};
    const view = new FrameView((text) => stdout.write(text), style, limits);
    for await (const event of stream) {
      const frame = frameOf(event);
      const { id, state = '', isLast } = taskIn(frame);
      if (id !== taken.id) continue;
      if (flags.json === true) stdout.write(`${frameJson(frame)}\n`);
      else view.show(frame);
      if (isLast && !(await wasAnswered(target, taken.id, state))) {
        view.end();
        if (state === asking && flags.json !== true) context.stderr.write(`${answerLine(target)}\n`);
        return statusOf(state);
      }
    }
    view.end();
    throw new MurError('E-IO-003', `the connection was lost before task ${taken.id} ended`, {
      hint: 'mur watch shows what is still held of it',
    });
  } finally {
    stream.close();
  }
}

/** A question of the task's past, to which the message may have been the reply. */
async function wasAnswered(target: DoorTarget, id: string, state: string): Promise<boolean> {
  return state === asking && (await getTask(target, id)).state !== state;
}

/** A question is an answer too: the task is in good order and waits. */
function statusOf(state: string): ExitStatus {
  return state === 'completed' || state === asking ? 0 : 1;
}
