import { mkdirSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { maxCallsPerResponse } from '../../src/effects/turn.js';
import { rehearsal } from '../e2e/cli.js';
import { Library } from './run.js';
import { expectTraceRules } from './trace-rules.js';

let library: Library;
beforeAll(() => {
  library = new Library();
});
afterAll(() => library.close());

/** Open descriptors of this process that lead below `folder`. */
function openBelow(folder: string): string[] {
  return readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      const target = readlinkSync(`/proc/self/fd/${fd}`);
      return target.startsWith(folder) ? [target] : [];
    } catch {
      return [];
    }
  });
}

const send = (url: string) =>
  fetch(`http://${url}/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'message/send',
      params: { message: { messageId: 'm', role: 'user', parts: [{ text: 'go' }] } },
    }),
  });

test.runIf(process.platform === 'linux')(
  'a session that serves many tasks holds no conversation of one that ended',
  { timeout: 60_000 },
  async () => {
    const lifecycle = { task_acceptance: 'queue', after_task: 'sleep', queue_depth: 4 };
    const conversations = join(library.sandbox.home, '.murmur', 'conversations');
    const stop = new AbortController();
    const seen: number[] = [];
    let url = '';
    const { result, lines } = await library.run(
      rehearsal([{ say: 'done' }], { lifecycle }),
      {},
      {
        signal: stop.signal,
        onNotice: (notice) => {
          if (notice.type === 'door.listening') url = notice.url;
          if (notice.type === 'task.started') seen.push(openBelow(conversations).length);
          if (notice.type !== 'task.ended') return;
          if (seen.length === 5) stop.abort();
          else void send(url);
        },
      },
    );
    expect(result.status).toBe('ok');
    expectTraceRules(lines);
    expect(lines.filter(({ event_type }) => event_type === 'a2a_task_received')).toHaveLength(4);
    expect(seen).toEqual([seen[0], seen[0], seen[0], seen[0], seen[0]]);
    expect(openBelow(conversations)).toEqual([]);
  },
);

test('the one deadline notice follows whichever dispatched call comes first, a skill too, and never a refusal', async () => {
  const turns = [
    { call: { tool: 'nobody' } },
    { call: { tool: 'mur-skill-report' } },
    { call: { tool: 'mur-tool-files', input: { action: 'list' } } },
    { say: 'done' },
  ];
  const artifacts = [
    { name: 'mur-driver-rehearsal', version: '0.1.0', runtime: 'driver' },
    { name: 'mur-tool-files', version: '0.1.0' },
    { name: 'mur-skill-report', version: '0.1.0', runtime: 'skill' },
  ];
  const manifest = rehearsal(turns, { artifacts, lifecycle: { deadline_notice_secs: 600 } });
  await library.run(manifest, { deadlineMs: 300_000, contextId: 'notice' });
  const record = join(library.sandbox.home, '.murmur/conversations/sample/notice/conversation.jsonl');
  const results = readFileSync(record, 'utf8')
    .split('\n')
    .filter((line) => line.includes('"role":"tool"'));
  expect(results.map((line) => line.includes('[session] This session ends in'))).toEqual([false, true, false]);
});

test('a result file that cannot be written is a warning; the task still ends once in the trace and with its answer', async () => {
  const { result, lines, notices } = await library.run(
    rehearsal([{ say: 'done' }]),
    {},
    {
      onNotice: (notice) => {
        if (notice.type !== 'session.staged') return;
        mkdirSync(join(notice.recordsDir, 'out', 'result.txt', 'in the way'), { recursive: true });
      },
    },
  );
  expect(result).toMatchObject({ status: 'ok', answer: 'done' });
  expect(lines.filter(({ event_type }) => event_type === 'task_end')).toMatchObject([{ exit_status: 'ok' }]);
  expect(notices).toContainEqual(expect.objectContaining({ type: 'warning', code: 'W-RUN-902' }));
});

test('refused calls, however many in one response, leave the event loop to others', { timeout: 60_000 }, async () => {
  const calls = Array.from({ length: 500 }, (_, index) => ({ id: `c${index}`, tool: 'nobody', input: {} }));
  let turnsOfTheLoop = 0;
  let hasCalls = false;
  const count = (): void => {
    if (hasCalls) turnsOfTheLoop += 1;
    next = setImmediate(count);
  };
  let next = setImmediate(count);
  const { result } = await library.run(
    rehearsal([{ call: calls }, { say: 'done' }]),
    {},
    {
      onNotice: (notice) => {
        if (notice.type === 'tool.started') hasCalls = true;
        if (notice.type === 'turn.started') hasCalls = false;
      },
    },
  );
  clearImmediate(next);
  expect(result.status).toBe('ok');
  expect(turnsOfTheLoop).toBeGreaterThanOrEqual(maxCallsPerResponse - 1);
});
