/** One round of the kill drill: a real `mur run` whose command set off daemons is ended in one way. Not a test. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { asleep, daemons, leaving, left, newMark } from '../battery/daemons.js';
import { rehearsal, type Sandbox, type Started } from './cli.js';

export const ways = ['deadline', 'cancel', 'stop', 'SIGTERM', 'SIGKILL', 'leftover'] as const;
export type Way = (typeof ways)[number];

/** `left`: processes that outlived it. `never`: why the daemons did not run, which is no evidence. */
export interface Round {
  readonly left: readonly string[];
  readonly never: string;
}

/** The kernel tells bubblewrap that the runtime is gone, and it takes all others along: at once, on a machine that has time. */
const crashMs = 10_000;
const deadlines = ['4', '15', '60'];

/** Plays one round below `sandbox`, which has a folder `project/work`. */
export async function killRound(sandbox: Sandbox, way: Way, containment: string): Promise<Round> {
  if (way !== 'deadline') return await play(sandbox, way, containment, []);
  let round: Round = { left: [], never: 'no deadline was tried' };
  // On a busy machine a session may end before its command has begun, which shows nothing.
  for (const seconds of deadlines) {
    round = await play(sandbox, way, containment, ['--deadline', seconds]);
    if (round.never === '') break;
  }
  return round;
}

const count = { rounds: 0 };

async function play(sandbox: Sandbox, way: Way, containment: string, more: readonly string[]): Promise<Round> {
  const mark = newMark();
  const sign = join(sandbox.project, 'work', `leave-${mark}`);
  const isServed = way === 'cancel';
  const line = way === 'leftover' ? leaving(mark, sign) : `${daemons(mark)}; wait`;
  const manifest = sandbox.write(
    // Without the mark: a session that goes on is none of its own commands.
    `project/round-${count.rounds++}/murmur.yaml`,
    rehearsal([{ call: { tool: 'bash', input: { command: line } } }, { say: 'Done.' }], {
      capabilities: { containment, shell: { allow: ['bash', 'sleep', 'setsid'] } },
      ...(isServed ? { lifecycle: { task_acceptance: 'queue', after_task: 'sleep' } } : {}),
    }),
  );
  const task = isServed ? [] : ['--task', 'go'];
  const started = sandbox.start(['run', '--manifest', manifest, '--workdir', 'work', ...task, ...more]);
  let isOver = false;
  void started.ended.then(() => {
    isOver = true;
  });
  try {
    const cancel = isServed ? await sendTask(await started.line('murmur: url ')) : undefined;
    const never = await asleep(mark, () => isOver);
    if (never !== '')
      return { left: await left(mark, crashMs), never: `${never}: ${await lastWords(started, isOver)}` };
    return {
      left: await end(sandbox, started, way, { mark, sign, ...(cancel === undefined ? {} : { cancel }) }),
      never,
    };
  } finally {
    started.child.kill('SIGKILL');
    await started.ended;
  }
}

interface Ending {
  readonly mark: string;
  readonly sign: string;
  cancel?(): Promise<void>;
}

async function end(
  sandbox: Sandbox,
  { child, ended, line }: Started,
  way: Way,
  { mark, sign, cancel }: Ending,
): Promise<readonly string[]> {
  switch (way) {
    case 'cancel': {
      // The session goes on, and what it answered was that the task is over; the command may have its grace.
      await cancel!();
      const found = await left(mark, crashMs);
      child.kill('SIGTERM');
      await ended;
      return found;
    }
    case 'stop':
      await sandbox.run(['stop', await line('session: ')]);
      break;
    case 'SIGTERM':
    case 'SIGKILL':
      child.kill(way);
      break;
    case 'leftover':
      writeFileSync(sign, '');
      break;
    case 'deadline':
      break;
  }
  await ended;
  return await left(mark, way === 'SIGKILL' ? crashMs : 0);
}

/** Gives the session its task, and returns what cancels it. */
async function sendTask(url: string): Promise<() => Promise<void>> {
  const rpc = async (method: string, params: object): Promise<{ id: string }> => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const headers = { 'content-type': 'application/json' };
    const answer = await (await fetch(`http://${url}/`, { method: 'POST', headers, body })).json();
    return (answer as { result: { id: string } }).result;
  };
  const { id } = await rpc('message/send', {
    message: { messageId: 'm1', role: 'user', parts: [{ text: 'go' }] },
  });
  return async () => void (await rpc('tasks/cancel', { id }));
}

async function lastWords({ ended, stdout }: Started, isOver: boolean): Promise<string> {
  return isOver ? (await ended).stderr : stdout();
}
