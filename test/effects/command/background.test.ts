import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { abandonedSummary } from '../../../src/effects/command.js';
import { runShell } from '../../../src/effects/command-shell.js';
import { idTimeMs } from '../../../src/supervise/ids.js';
import { readFence } from '../../../src/tools/index.js';
import { groupMembers } from '../../fixtures/box/plain.js';
import { caller, commandSession, says } from './session.js';

type Session = ReturnType<typeof commandSession>;

const start = (session: Session, command: string, signal?: AbortSignal) =>
  runShell(session.commands, { ...caller, name: 'sh', data: says(command), ...(signal && { signal }) });
const until = (check: () => void) => vi.waitFor(check, { timeout: 20_000 });

/** A command in the background that ends once the file `go` is in the work folder. */
const waiting = 'while [ ! -e go ]; do sleep 0.02; done; echo out; echo err >&2; exit 7';
const letGo = (session: Session) => writeFileSync(join(session.work, 'go'), '');

describe('a command that outlasts its grace (spec/shell.md 8)', () => {
  test('6.3: its call passes with the id alone, and carries no exit code', async () => {
    const session = commandSession({ graceMs: 0 });
    const outcome = await start(session, waiting);
    const { workId } = outcome.detached!;
    expect(workId).toMatch(/^wrk_[0-9a-f]{32}$/);
    expect(idTimeMs(workId)).toBeGreaterThan(Date.now() - 60_000);
    expect(outcome).toMatchObject({
      result: { status: 'passed', metadata: [['work_id', workId]] },
      detached: { command: waiting, graceMs: 0 },
    });
    expect(outcome.shell ?? outcome.runtimeNote ?? outcome.runtimeError).toBeUndefined();
    expect(readFence(outcome.result.data!)?.text).not.toContain('while');
  });

  test('8.2: is listed, and on the disk, before its caller knows', async () => {
    const session = commandSession({ graceMs: 0 });
    const { workId, binary } = (await start(session, waiting)).detached!;
    const [inference] = session.lines('inference');
    expect(session.commands.outstanding()).toMatchObject([{ workId, binary, command: waiting }]);
    expect(session.lines('shell_detached')).toMatchObject([
      {
        parent_id: inference!.event_id,
        turn: 0,
        task_id: 'tsk_1',
        work_id: workId,
        binary,
        command: waiting,
        grace_ms: 0,
      },
    ]);
  });

  test('8.3: leaves its log, its line and a task that reports it', async () => {
    const session = commandSession({ graceMs: 0 });
    const { workId, binary } = (await start(session, waiting)).detached!;
    letGo(session);
    await until(() => expect(session.commands.outstanding()).toEqual([]));
    const path = join(session.root, 'records/logs', `${workId}.log`);
    const log = `Command: sh -c ${waiting}\nExit code: 7\n\nStdout:\nout\n\n\nStderr:\nerr\n`;
    expect(readFileSync(path, 'utf8')).toBe(log);
    const [task] = session.tasks;
    expect(session.tasks).toHaveLength(1);
    expect(task).toMatchObject({
      contextId: 'ctx_1',
      origin: 'completion',
      trust: 'trusted',
      source: 'detached_shell',
    });
    expect(task!.text).toContain(`work_id: ${workId}\nbinary: ${binary}\n`);
    expect(task!.text).toContain(`status: error\nexit_code: 7\n`);
    expect(task!.text).toContain(`output: ${path} (${log.length} bytes)`);
    expect(session.lines('shell_completed')).toMatchObject([
      {
        parent_id: session.lines('session_start')[0]!.event_id,
        work_id: workId,
        command: waiting,
        exit_code: 7,
        output_path: path,
        output_bytes: log.length,
        status: 'error',
        completion_task_id: task!.taskId,
      },
    ]);
  });

  test('8.3: long output is all in its log', async () => {
    const session = commandSession({ graceMs: 0 });
    const { workId } = (await start(session, `head -c 500000 /dev/zero | tr "\\0" x; ${waiting}`)).detached!;
    letGo(session);
    await until(() => expect(session.tasks).toHaveLength(1));
    expect(readFileSync(join(session.root, 'records/logs', `${workId}.log`), 'utf8')).toContain('x'.repeat(500_000));
  });

  test('8.3: a log that cannot be written is told, and named all the same', async () => {
    const session = commandSession({ graceMs: 0 });
    session.commands.host.records.remove('logs');
    const { workId } = (await start(session, waiting)).detached!;
    letGo(session);
    await until(() => expect(session.tasks).toHaveLength(1));
    expect(session.tasks[0]!.text).toMatch(/wait_error: .*ENOENT/);
    expect(session.tasks[0]!.text).toContain(`logs/${workId}.log (0 bytes)`);
  });

  test('a cancel of its task leaves it alone', async () => {
    const session = commandSession({ graceMs: 0 });
    const cancel = new AbortController();
    const { workId } = (await start(session, waiting, cancel.signal)).detached!;
    cancel.abort();
    letGo(session);
    await until(() => expect(session.tasks).toHaveLength(1));
    expect(session.lines('shell_completed')).toMatchObject([{ work_id: workId, exit_code: 7 }]);
  });

  test('one that ends within its grace is never moved', async () => {
    const session = commandSession({ graceMs: 600_000 });
    expect((await start(session, 'sleep 0.05; exit 1')).shell?.exitCode).toBe(1);
    expect(session.lines('shell_detached')).toEqual([]);
  });

  test('a line that cannot be written does not undo the move', async () => {
    const session = commandSession({ graceMs: 0 });
    const flush = vi.spyOn(session.trace, 'flush').mockRejectedValueOnce(new Error('EIO: i/o error'));
    const { workId } = (await start(session, waiting)).detached!;
    flush.mockRestore();
    expect(session.lines('shell_detach_unrecorded')).toMatchObject([
      { turn: 0, task_id: 'tsk_1', work_id: workId, reason: 'EIO: i/o error' },
    ]);
    letGo(session);
    await until(() => expect(session.tasks).toHaveLength(1));
  });
});

describe('the end of the session (spec/shell.md 8.4)', () => {
  test('takes every background command along, with all it started, and says so', async () => {
    const session = commandSession({ graceMs: 0 });
    const ids = [];
    for (const each of ['a', 'b']) {
      ids.push(
        (await start(session, `trap "" TERM; echo said-${each}; sleep 100 & touch ${each}; wait; wait`)).detached!
          .workId,
      );
    }
    await until(() => expect(['a', 'b'].every((each) => existsSync(join(session.work, each)))).toBe(true));
    const abandoned = await session.commands.sweep();
    expect(abandoned.map(({ workId }) => workId)).toEqual(ids);
    expect(session.box.started.map(({ pid }) => groupMembers(pid))).toEqual([0, 0]);
    expect(session.commands.outstanding()).toEqual([]);
    const lines = session.lines('shell_abandoned');
    expect(lines.map(({ work_id }) => work_id).sort()).toEqual(ids);
    expect(lines[0]).toMatchObject({ running_ms: expect.any(Number) });
    expect(lines[0]).not.toHaveProperty('exit_code');
    expect(readFileSync(join(session.root, 'records/logs', `${ids[0]}.log`), 'utf8')).toContain(
      'Exit code: none, it was ended with its session\n\nStdout:\nsaid-a\n',
    );
    expect(session.tasks).toEqual([]);
    expect(abandonedSummary(abandoned)).toMatch(
      /^2 background commands ended with the session: wrk_.* \(\d+ s\), wrk_/,
    );
  });

  test('one that ended by itself during the teardown says how', async () => {
    const session = commandSession({ graceMs: 0 });
    const { workId } = (await start(session, waiting)).detached!;
    let isOver = false;
    const counters = session.box.started[0]!.ended.then(() => {
      isOver = true;
      return session.commands.sweep();
    });
    letGo(session);
    await counters;
    expect(isOver).toBe(true);
    const [line] = [...session.lines('shell_abandoned'), ...session.lines('shell_completed')];
    expect(line).toMatchObject({ work_id: workId, exit_code: 7, output_path: expect.stringContaining(workId) });
  });

  test('ends what somebody still waits for, and starts nothing more', async () => {
    const session = commandSession({ graceMs: 600_000 });
    const running = start(session, 'touch up; sleep 100');
    await until(() => expect(existsSync(join(session.work, 'up'))).toBe(true));
    expect(await session.commands.sweep()).toEqual([]);
    expect((await running).runtimeError).toBeDefined();
    expect(groupMembers(session.box.started[0]!.pid)).toBe(0);
    expect((await start(session, 'true')).runtimeError).toContain('the session is over');
    expect(session.box.started).toHaveLength(1);
    expect(abandonedSummary([])).toBeUndefined();
  });
});
