import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { createActor } from 'xstate';
import type { CommandHost } from '../../../src/effects/command.js';
import { Commands } from '../../../src/effects/command.js';
import type { Caller } from '../../../src/effects/command-call.js';
import { commandLogic } from '../../../src/effects/command-chart.js';
import type { LogEntry } from '../../../src/effects/log.js';
import { holdDirectory } from '../../../src/home/index.js';
import { systemClock } from '../../../src/supervise/clock.js';
import type { TaskRequest } from '../../../src/task/index.js';
import { TraceWriter } from '../../../src/trace/index.js';
import { plainBox } from '../../fixtures/box/plain.js';
import { inference, sessionStart, taskStart } from '../../trace/samples.js';

export const caller: Caller = { taskId: 'tsk_1', turn: 0, contextId: 'ctx_1', trust: 'trusted' };

type Line = Readonly<Record<string, unknown>>;

/** The commands of a session with real folders, a real trace and real processes; gone with its test, and nothing left behind. */
export function commandSession(
  change: Partial<Omit<CommandHost, 'records' | 'trace'>> & { readonly graceMs?: number; readonly root?: string } = {},
) {
  const root = change.root ?? realpathSync(mkdtempSync(join(tmpdir(), 'mur-command-')));
  for (const folder of ['work', 'temp', 'records']) mkdirSync(join(root, folder), { recursive: true });
  const records = holdDirectory(join(root, 'records'));
  const trace = new TraceWriter({ records, sessionId: 'ses_a', clock: systemClock });
  trace.write('session_start', sessionStart);
  trace.write('task_start', taskStart('tsk_1'));
  trace.write('inference', inference('tsk_1', 0));
  const box = plainBox(join(root, 'work'));
  const tasks: TaskRequest[] = [];
  const log: LogEntry[] = [];
  const { graceMs, root: _, ...rest } = change;
  const logic = commandLogic((commandId) => commands.processOf(commandId));
  const host: CommandHost = {
    box,
    clock: systemClock,
    policy: { shellAllow: ['sh', 'echo', 'sleep', 'cat', 'no-such-program'], shellBaselineEnv: [], shellStripEnv: [] },
    hostEnv: { PATH: '/usr/local/bin:/usr/bin:/bin' },
    identity: [['MURMUR_SESSION_ID', 'ses_a']],
    folders: { temp: join(root, 'temp'), runtime: join(root, 'run') },
    records,
    trace,
    log: (entry) => log.push(entry),
    spawn: (input) => createActor(logic, { input }).start(),
    ...(graceMs === undefined ? {} : { background: { graceMs, enqueue: (task: TaskRequest) => tasks.push(task) } }),
    ...rest,
  };
  const commands: Commands = new Commands(host);
  onTestFinished(async () => {
    await commands.sweep();
    await trace.close();
    records.close();
    rmSync(root, { recursive: true, force: true });
  });
  const lines = (event?: string): Line[] =>
    readFileSync(join(root, 'records/trace.jsonl'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Line)
      .filter((line) => event === undefined || line.event_type === event);
  return { root, work: join(root, 'work'), records, commands, box, tasks, log, trace, lines };
}

/** The data of a shell call. */
export const says = (command: string) => JSON.stringify({ command });
