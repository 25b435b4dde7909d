import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  isFinal,
  laneOf,
  type TaskOrigin,
  TaskRegistry,
  type TaskRegistryOptions,
  type TaskRequest,
  type TaskState,
} from '../../src/task/index.js';

function registry(options: Partial<TaskRegistryOptions> = {}): TaskRegistry {
  return new TaskRegistry({ acceptance: 'queue', queueDepth: 8, now: () => 1_000, ...options });
}

function request(taskId: string, origin: TaskOrigin = 'event'): TaskRequest {
  const trust = origin === 'user' ? 'trusted' : 'untrusted';
  return { taskId, contextId: `ctx_${taskId}`, text: 'do it', origin, trust, source: 'a2a', receivedAtMs: 1 };
}

function running(taskId = 'a', options: Partial<TaskRegistryOptions> = {}): TaskRegistry {
  const tasks = registry(options);
  tasks.enqueue(request(taskId));
  tasks.start(taskId);
  return tasks;
}

describe('text of tasks that are not over', () => {
  const large = (taskId: string): TaskRequest => ({ ...request(taskId), text: 'x'.repeat(600) });
  const states = (tasks: TaskRegistry, ...ids: string[]) => ids.map((id) => tasks.get(id)?.state);

  it('is bounded over the whole queue, whatever its depth; one task always fits', () => {
    const tasks = registry({ liveCharacters: 1_000 });
    tasks.enqueue({ ...large('huge'), text: 'x'.repeat(5_000) });
    tasks.enqueue(request('small'));
    tasks.cancel('huge');
    for (const id of ['a', 'b']) tasks.enqueue(large(id));
    expect(states(tasks, 'small', 'a', 'b')).toEqual(['rejected', 'submitted', 'rejected']);
  });

  it('counts what is said to a task later, long ids included', () => {
    const tasks = registry({ liveCharacters: 1_000 });
    tasks.enqueue(large('a'));
    const more = { origin: 'event', trust: 'untrusted' } as const;
    expect(tasks.followUp('a', { ...more, text: 'x'.repeat(500) }).ok).toBe(false);
    expect(tasks.followUp('a', { ...more, text: 'x', messageId: 'm'.repeat(500) }).ok).toBe(false);
    expect(tasks.followUp('a', { ...more, text: 'x'.repeat(300) }).ok).toBe(true);
    expect(tasks.followUp('a', { ...more, text: 'x'.repeat(300) }).ok).toBe(false);
    tasks.enqueue({ ...request('b'), contextId: 'c'.repeat(500) });
    expect(states(tasks, 'b')).toEqual(['rejected']);
  });

  it.each([
    ['canceled', (tasks: TaskRegistry) => tasks.cancel('a')],
    ['withdrawn', (tasks: TaskRegistry) => tasks.withdraw('a')],
    ['rejected', (tasks: TaskRegistry) => tasks.reject('a', 'no')],
    ['run', (tasks: TaskRegistry) => [tasks.start('a'), tasks.finish('a', 'completed', { response: 'x'.repeat(900) })]],
    [
      'canceled at work, and asked before',
      (tasks: TaskRegistry) => {
        tasks.start('a');
        tasks.setInputRequired('a', 'y'.repeat(500), () => undefined);
        tasks.deliverInput('a', 'z'.repeat(500));
        tasks.cancel('a');
        tasks.finish('a', 'canceled');
      },
    ],
  ])('is free again when the task is %s', (_, end) => {
    const tasks = registry({ liveCharacters: 1_000 });
    tasks.enqueue(large('a'));
    end(tasks);
    for (const id of ['b', 'c']) tasks.enqueue(large(id));
    expect(states(tasks, 'b', 'c')).toEqual(['submitted', 'rejected']);
  });
});

describe('taking a place (spec/door.md 8.2, canAccept and enqueue; 8.3)', () => {
  it.each([
    { acceptance: 'none', queueDepth: 9, states: ['rejected'] },
    { acceptance: 'single', queueDepth: 9, states: ['submitted', 'rejected'] },
    { acceptance: 'queue', queueDepth: 1, states: ['submitted', 'rejected'] },
    { acceptance: 'queue', queueDepth: 3, states: ['submitted', 'submitted', 'submitted', 'rejected'] },
  ] as const)('under $acceptance with depth $queueDepth sends answer $states', ({ acceptance, queueDepth, states }) => {
    const tasks = registry({ acceptance, queueDepth });
    const got = states.map((_, index) => {
      const promised = tasks.canAccept();
      const reply = tasks.enqueue(request(`t${index}`));
      expect(reply.ok && reply.task.state === 'submitted').toBe(promised);
      return reply.ok && reply.task.state;
    });
    expect(got).toEqual(states);
  });

  it('single takes one task per session, also after it ended', () => {
    const tasks = running('a', { acceptance: 'single' });
    expect(tasks.canAccept()).toBe(false);
    tasks.finish('a', 'completed');
    expect(tasks.canAccept()).toBe(false);
  });

  it('queue does not count the running task', () => {
    const tasks = running('a', { queueDepth: 1 });
    expect(tasks.canAccept()).toBe(true);
  });

  it('reports of background commands need no place, and take none from callers', () => {
    const tasks = running('a', { queueDepth: 1 });
    for (const id of ['r1', 'r2']) {
      const reply = tasks.enqueueCompletion({ ...request(id, 'completion'), source: 'detached_shell' });
      expect(reply).toMatchObject({ ok: true, task: { state: 'submitted' } });
    }
    expect(tasks.enqueue(request('b', 'user'))).toMatchObject({ task: { state: 'submitted' } });
    expect(tasks.enqueue(request('c', 'user'))).toMatchObject({ task: { state: 'rejected' } });
    tasks.finish('a', 'completed');
    const order: string[] = [];
    for (let next = tasks.next(); next !== undefined; next = tasks.next()) {
      order.push(next.taskId);
      tasks.start(next.taskId);
      tasks.finish(next.taskId, 'completed');
    }
    expect(order).toEqual(['b', 'r1', 'r2']);
  });

  it('a report that comes while the session closes is refused, and stays readable', () => {
    const tasks = registry();
    tasks.close();
    const reply = tasks.enqueueCompletion({ ...request('r', 'completion'), source: 'detached_shell' });
    expect(reply).toMatchObject({
      ok: true,
      task: { state: 'rejected', message: 'task rejected: the session is closing' },
    });
    expect(tasks.get('r')).toMatchObject({ state: 'rejected' });
    expect(tasks.next()).toBeUndefined();
  });

  it('keeps a refused task readable with the text that means: try again', () => {
    const tasks = registry({ acceptance: 'single' });
    tasks.enqueue(request('a'));
    tasks.enqueue(request('b'));
    expect(tasks.get('b')).toMatchObject({ state: 'rejected', message: 'task rejected: capsule is busy' });
  });

  it('forgets the oldest refused tasks beyond the bound, and no accepted one', () => {
    const tasks = registry({ acceptance: 'single', refused: { tasks: 2, characters: 1_000 } });
    for (const id of ['a', 'b', 'c', 'd']) tasks.enqueue(request(id));
    expect(tasks.list().map((task) => task.taskId)).toEqual(['a', 'c', 'd']);
  });

  it('refuses a second request under one id and leaves the first untouched', () => {
    const tasks = running('a');
    expect(tasks.enqueue(request('a'))).toEqual({ ok: false, reason: 'task id a is already taken' });
    expect(tasks.pending).toBe(0);
    expect(tasks.get('a')?.state).toBe('working');
  });

  it('admits the launch task whatever the door accepts', () => {
    const tasks = registry({ acceptance: 'none' });
    expect(tasks.enqueueLaunchTask(request('a', 'user'))).toMatchObject({ ok: true, task: { state: 'submitted' } });
    expect(tasks.next()?.taskId).toBe('a');
  });

  it('withdraws a task that could not be handed over, as if it had never come', () => {
    const tasks = registry({ acceptance: 'single' });
    tasks.enqueue(request('a'));
    tasks.withdraw('a');
    expect([tasks.pending, tasks.get('a'), tasks.get(), tasks.canAccept()]).toEqual([0, undefined, undefined, true]);
  });
});

describe('order (spec/door.md 8.4)', () => {
  it('drains user before peer before bg, first come first served in a lane', () => {
    const tasks = registry();
    const arrivals = {
      bg1: 'event',
      user1: 'user',
      bg2: 'schedule',
      peer1: 'peer',
      user2: 'user',
      bg3: 'system',
    } as const;
    for (const [id, origin] of Object.entries(arrivals)) tasks.enqueue(request(id, origin));
    tasks.enqueue(request('peer2', 'peer'));
    const order: string[] = [];
    for (let task = tasks.next(); task !== undefined; task = tasks.next()) {
      order.push(task.taskId);
      tasks.start(task.taskId);
      expect(tasks.next()).toBeUndefined();
      tasks.finish(task.taskId, 'completed');
    }
    expect(order).toEqual(['user1', 'user2', 'peer1', 'peer2', 'bg1', 'bg2', 'bg3']);
  });

  it('tasks of one origin start in the order they came, between others that come and go', () => {
    const tasks = registry();
    for (const id of ['p1', 'p2', 'p3']) tasks.enqueue(request(id, 'peer'));
    tasks.cancel('p2');
    tasks.enqueue(request('u1', 'user'));
    tasks.enqueue(request('p4', 'peer'));
    const order: string[] = [];
    for (let task = tasks.next(); task !== undefined; task = tasks.next()) {
      order.push(task.taskId);
      tasks.start(task.taskId);
      tasks.finish(task.taskId, 'completed');
    }
    expect(order).toEqual(['u1', 'p1', 'p3', 'p4']);
  });

  it('refuses to start a second task while one runs, and keeps it first', () => {
    const tasks = running('a');
    tasks.enqueue(request('b'));
    expect(tasks.start('b')).toEqual({ ok: false, reason: 'task a is still running' });
    tasks.finish('a', 'completed');
    expect(tasks.next()?.taskId).toBe('b');
  });

  it.each([
    ['user', 'user'],
    ['peer', 'peer'],
    ['schedule', 'bg'],
    ['event', 'bg'],
    ['completion', 'bg'],
    ['system', 'bg'],
  ] as const)('origin %s waits in lane %s', (origin, lane) => {
    expect(laneOf(origin)).toBe(lane);
  });
});

describe('waiting for a person (spec/door.md 8.2, setInputRequired and deliverInput)', () => {
  it('shows the question, hands the reply over once and goes back to working', () => {
    const tasks = running('a');
    const got: string[] = [];
    expect(tasks.setInputRequired('a', 'which one?', (text) => got.push(text))).toMatchObject({
      ok: true,
      task: { state: 'input-required', prompt: 'which one?' },
    });
    expect(tasks.waitingTaskId).toBe('a');
    expect(tasks.deliverInput('a', 'the first')).toMatchObject({ ok: true, task: { state: 'working' } });
    expect(tasks.get('a')).not.toHaveProperty('prompt');
    expect(tasks.waitingTaskId).toBeUndefined();
    expect(tasks.deliverInput('a', 'again')).toEqual({ ok: false, reason: 'task is not in input-required state' });
    expect(got).toEqual(['the first']);
  });

  it('only the active task may ask, and only while it works', () => {
    const tasks = running('a');
    const ask = (id: string) => tasks.setInputRequired(id, '?', () => undefined);
    expect(ask('b')).toEqual({ ok: false, reason: 'task is not the active running task' });
    ask('a');
    expect(ask('a')).toEqual({ ok: false, reason: 'task is not in working state' });
  });

  it('a receiver that has given up already is fine', async () => {
    const tasks = running('a');
    let giveUp: () => void = () => undefined;
    const waited = new Promise<string>((resolve, reject) => {
      tasks.setInputRequired('a', '?', resolve);
      giveUp = () => reject(new Error('input-timeout'));
    });
    giveUp();
    expect(tasks.deliverInput('a', 'late')).toMatchObject({ ok: true, task: { state: 'working' } });
    await expect(waited).rejects.toThrow('input-timeout');
  });

  it('start frees a place in the queue, and takes the running one', () => {
    const tasks = registry({ queueDepth: 1 });
    tasks.enqueue(request('a'));
    expect([tasks.pending, tasks.canAccept(), tasks.activeTaskId, tasks.waitingTaskId]).toEqual([
      1,
      false,
      undefined,
      undefined,
    ]);
    tasks.start('a');
    expect([tasks.pending, tasks.canAccept(), tasks.activeTaskId]).toEqual([0, true, 'a']);
  });

  it('drops the waiter when the task ends first', () => {
    const tasks = running('a');
    let delivered = false;
    tasks.setInputRequired('a', '?', () => {
      delivered = true;
    });
    tasks.finish('a', 'failed', { message: 'input-timeout' });
    expect(tasks.deliverInput('a', 'late').ok).toBe(false);
    expect(delivered).toBe(false);
  });

  it('goes back to working when the waiter gave up', () => {
    const tasks = running('a');
    tasks.setInputRequired('a', '?', () => undefined);
    expect(tasks.abandonInput('a')).toMatchObject({ ok: true, task: { state: 'working' } });
  });
});

describe('ending (spec/door.md 8.1; 8.2, finish)', () => {
  it('a cancel that races a completion wins or loses, never both', () => {
    const first = running('a');
    first.cancel('a');
    expect(first.finish('a', 'completed', { response: 'late' })).toMatchObject({
      ok: true,
      task: { state: 'canceled', message: 'task canceled' },
    });
    expect(first.get('a')).not.toHaveProperty('response');

    const second = running('a');
    second.finish('a', 'completed', { response: 'done' });
    expect(second.cancel('a')).toMatchObject({ ok: true, task: { state: 'completed', response: 'done' } });
  });

  it('a task that says nothing of its end says that it ended, as its final status does (spec/door.md 6.1, 15.3)', () => {
    for (const state of ['completed', 'failed'] as const) {
      const tasks = running();
      const told: unknown[] = [];
      tasks.watch((task) => told.push(task.message));
      tasks.finish('a', state);
      expect([tasks.get('a')?.message, told]).toEqual(['session ended', ['session ended']]);
    }
  });

  it('gives no next task until a canceled one has stopped', () => {
    const tasks = running('a');
    tasks.enqueue(request('b'));
    tasks.cancel('a');
    expect(tasks.next()).toBeUndefined();
    tasks.finish('a', 'canceled');
    expect(tasks.next()?.taskId).toBe('b');
  });

  it('cancels a waiting task at once and frees its place', () => {
    const tasks = running('a', { queueDepth: 1 });
    tasks.enqueue(request('b'));
    expect(tasks.cancel('b')).toMatchObject({ ok: true, task: { message: 'task canceled before it started' } });
    expect(tasks.canAccept()).toBe(true);
  });

  it('closing rejects every waiting task once, leaves the active one and takes no more', () => {
    const tasks = running('a');
    tasks.enqueue(request('b'));
    tasks.enqueue(request('c', 'user'));
    expect(tasks.close().map((task) => [task.taskId, task.state])).toEqual([
      ['c', 'rejected'],
      ['b', 'rejected'],
    ]);
    expect(tasks.close()).toEqual([]);
    expect(tasks.enqueue(request('d'))).toMatchObject({ task: { message: 'task rejected: the session is closing' } });
    expect(tasks.get('a')?.state).toBe('working');
  });

  it('counts each task that ran', () => {
    const tasks = running('a');
    tasks.cancel('a');
    tasks.finish('a', 'canceled');
    expect(tasks.generation).toBe(1);
  });
});

describe('what stays readable (retention.ts)', () => {
  const run = (tasks: TaskRegistry, taskId: string, response = 'ok') => {
    tasks.enqueue(request(taskId));
    tasks.start(taskId);
    tasks.finish(taskId, 'completed', { response });
  };
  const ids = (tasks: TaskRegistry) => tasks.list().map(({ taskId }) => taskId);

  it('the last tasks to end, by number', () => {
    const tasks = registry({ ended: { tasks: 2, characters: 10_000 } });
    for (const id of ['a', 'b', 'c']) run(tasks, id);
    expect(ids(tasks)).toEqual(['b', 'c']);
    expect([tasks.get('a'), tasks.history('a'), tasks.cancel('a').ok]).toEqual([undefined, [], false]);
    expect(tasks.get()?.taskId).toBe('c');
  });

  it('and by how much text they hold; the last one whatever it holds', () => {
    const tasks = registry({ ended: { tasks: 9, characters: 1_000 } });
    for (const id of ['a', 'b', 'c']) run(tasks, id, 'x'.repeat(400));
    expect(ids(tasks)).toEqual(['b', 'c']);
    run(tasks, 'd', 'x'.repeat(5_000));
    expect(ids(tasks)).toEqual(['d']);
    expect(tasks.get('d')?.response).toHaveLength(5_000);
  });

  it('what callers chose counts: messages and ids', () => {
    const tasks = registry({ ended: { tasks: 9, characters: 1_000 } });
    run(tasks, 'a');
    tasks.enqueue({ ...request('b'), contextId: 'x'.repeat(500), messageId: 'x'.repeat(400), text: 'x'.repeat(200) });
    tasks.cancel('b');
    expect(ids(tasks)).toEqual(['b']);
  });

  it('refused tasks push out no answer, and their texts are bounded too', () => {
    const bounds = { ended: { tasks: 1, characters: 100 }, refused: { tasks: 5, characters: 100 } };
    const tasks = registry({ acceptance: 'single', ...bounds });
    run(tasks, 'a');
    for (const id of ['r1', 'r2', 'r3']) tasks.enqueue({ ...request(id), text: 'x'.repeat(60) });
    expect(ids(tasks)).toEqual(['a', 'r3']);
  });

  it('a canceled task that has not stopped yet is not forgotten, however many end meanwhile', () => {
    const tasks = running('a', { ended: { tasks: 1, characters: 1_000 } });
    tasks.cancel('a');
    for (const id of ['b', 'c', 'd']) {
      tasks.enqueue(request(id));
      tasks.cancel(id);
    }
    expect(ids(tasks)).toEqual(['a', 'd']);
    expect(tasks.finish('a', 'completed')).toMatchObject({ ok: true, task: { state: 'canceled' } });
    expect(ids(tasks)).toEqual(['a']);
  });
});

describe('reading', () => {
  it('without an id means the active task, then the last one, then the newest waiting one', () => {
    const tasks = registry();
    expect(tasks.get()).toBeUndefined();
    tasks.enqueue(request('a'));
    expect(tasks.get()?.taskId).toBe('a');
    tasks.start('a');
    tasks.enqueue(request('b'));
    expect(tasks.get()?.taskId).toBe('a');
    tasks.finish('a', 'completed');
    expect(tasks.get()?.taskId).toBe('a');
  });

  it('hands out copies that later changes never touch', () => {
    const tasks = registry();
    const reply = tasks.enqueue(request('a'));
    tasks.start('a');
    tasks.finish('a', 'completed', { response: 'done' });
    expect(reply).toMatchObject({ task: { state: 'submitted' } });
    expect(Object.isFrozen(tasks.get('a'))).toBe(true);
  });
});

describe('any sequence of operations', () => {
  const origins: readonly TaskOrigin[] = ['user', 'peer', 'event', 'system'];
  const operation = fc.record({
    verb: fc.constantFrom(
      'enqueue',
      'launch',
      'withdraw',
      'start',
      'next',
      'complete',
      'fail',
      'ask',
      'reply',
      'abandon',
      'reject',
      'cancel',
      'close',
    ),
    id: fc.constantFrom('a', 'b', 'c', 'd'),
    origin: fc.constantFrom(...origins),
  });
  const allowed: Record<TaskState, readonly TaskState[]> = {
    submitted: ['working', 'canceled', 'rejected'],
    working: ['input-required', 'completed', 'failed', 'canceled'],
    'input-required': ['working', 'completed', 'failed', 'canceled'],
    completed: [],
    failed: [],
    canceled: [],
    rejected: [],
  };

  it('gives each task one final state, one task the place, and never more waiting than allowed', () => {
    fc.assert(
      fc.property(
        fc.array(operation, { maxLength: 60 }),
        fc.constantFrom('none' as const, 'single' as const, 'queue' as const),
        fc.integer({ min: 0, max: 3 }),
        (operations, acceptance, queueDepth) => {
          const tasks = registry({ acceptance, queueDepth });
          const seen = new Map<string, TaskState>();
          let delivered = 0;
          let asked = 0;
          for (const { verb, id, origin } of operations) {
            const before = tasks.pending;
            switch (verb) {
              case 'enqueue':
                tasks.enqueue(request(id, origin));
                expect(tasks.pending).toBeLessThanOrEqual(Math.max(before, acceptance === 'single' ? 1 : queueDepth));
                break;
              case 'launch':
                tasks.enqueueLaunchTask(request(id, 'user'));
                break;
              case 'withdraw':
                if (tasks.withdraw(id).ok) seen.delete(id);
                break;
              case 'start':
                tasks.start(id);
                break;
              case 'next': {
                const next = tasks.next();
                if (next !== undefined) expect(tasks.start(next.taskId).ok).toBe(true);
                break;
              }
              case 'complete':
                tasks.finish(id, 'completed', { response: 'r' });
                break;
              case 'fail':
                tasks.finish(id, 'failed', { message: 'm' });
                break;
              case 'ask':
                if (tasks.setInputRequired(id, '?', () => delivered++).ok) asked++;
                break;
              case 'reply':
                tasks.deliverInput(id, 'x');
                break;
              case 'abandon':
                tasks.abandonInput(id);
                break;
              case 'reject':
                tasks.reject(id, 'no');
                break;
              case 'cancel':
                tasks.cancel(id);
                break;
              case 'close':
                tasks.close();
                break;
            }
            for (const task of tasks.list()) {
              const was = seen.get(task.taskId);
              if (was !== undefined && was !== task.state) expect(allowed[was]).toContain(task.state);
              seen.set(task.taskId, task.state);
              if (task.response !== undefined) expect(task.state).toBe('completed');
              expect(task.prompt !== undefined).toBe(task.state === 'input-required');
            }
            const live = tasks.list().filter((task) => task.state === 'working' || task.state === 'input-required');
            expect(live.length).toBeLessThanOrEqual(1);
            if (live[0] !== undefined) expect(tasks.activeTaskId).toBe(live[0].taskId);
            expect(tasks.pending).toBe(tasks.list().filter((task) => task.state === 'submitted').length);
            expect(delivered).toBeLessThanOrEqual(asked);
          }
          expect([...seen.values()].every((state) => isFinal(state) === (allowed[state].length === 0))).toBe(true);
        },
      ),
      { numRuns: 400 },
    );
  });
});

describe('who watches', () => {
  it('hears of one task only when it follows that one, until it leaves', () => {
    const tasks = registry();
    const heard: string[] = [];
    const listener = (who: string) => (task: { readonly taskId: string }, change: string) =>
      heard.push(`${who}: ${task.taskId} ${change}`);
    const leave = tasks.follow('a', listener('first'));
    tasks.follow('a', listener('second'));
    for (const taskId of ['a', 'b']) tasks.enqueue(request(taskId));
    leave();
    leave();
    tasks.cancel('b');
    tasks.cancel('a');
    expect(heard).toEqual(['first: a submitted', 'second: a submitted', 'second: a ended']);
  });

  it('hears of every change in order, and of each end exactly once, a cancel that is finished later included', () => {
    const tasks = registry({ acceptance: 'queue', queueDepth: 1 });
    const heard: string[] = [];
    const leave = tasks.watch((task, change) => heard.push(`${task.taskId} ${change} ${task.state}`));
    tasks.enqueue(request('a'));
    tasks.enqueue(request('b'));
    tasks.start('a');
    tasks.setInputRequired('a', 'which?', () => heard.push('delivered'));
    tasks.deliverInput('a', 'this');
    tasks.setInputRequired('a', 'and now?', () => undefined);
    tasks.abandonInput('a');
    tasks.cancel('a');
    tasks.cancel('a');
    tasks.finish('a', 'failed');
    leave();
    tasks.enqueue(request('c'));
    expect(heard).toEqual([
      'a submitted submitted',
      'b ended rejected',
      'a started working',
      'a asked input-required',
      'a answered working',
      'delivered',
      'a asked input-required',
      'a unasked working',
      'a ended canceled',
    ]);
  });

  it('hears that what waited was rejected when the session closes', () => {
    const tasks = running();
    tasks.enqueue(request('b'));
    const heard: string[] = [];
    tasks.watch((task, change) => heard.push(`${task.taskId} ${change} ${task.state}`));
    tasks.close();
    expect(heard).toEqual(['b ended rejected']);
  });
});

describe('messages for a task under way', () => {
  const more = (text: string, trust: 'trusted' | 'untrusted' = 'untrusted') =>
    ({ text, origin: 'event', trust, messageId: `m_${text}` }) as const;

  it('are kept while it waits and works, taken once in order, and said in its history', () => {
    const tasks = registry();
    tasks.enqueue(request('a'));
    expect(tasks.followUp('a', more('one'))).toMatchObject({ ok: true, task: { state: 'submitted' } });
    tasks.start('a');
    expect(tasks.followUp('a', more('two'))).toMatchObject({ ok: true, task: { state: 'working' } });
    expect(tasks.takeFollowUps('a').map(({ text }) => text)).toEqual(['one', 'two']);
    expect(tasks.takeFollowUps('a')).toEqual([]);
    expect(tasks.history('a').map(({ messageId }) => messageId)).toEqual(['msg_a_0', 'm_one', 'm_two']);
  });

  it('make an answer that has not seen them no answer, unless no turn is left; none comes behind one that stands', () => {
    const tasks = running();
    tasks.followUp('a', more('one'));
    expect(tasks.answer('a', true)).toBe(false);
    tasks.takeFollowUps('a');
    tasks.followUp('a', more('two'));
    expect(tasks.answer('a', false)).toBe(true);
    expect(tasks.followUp('a', more('three'))).toEqual({ ok: false, reason: 'task has given its answer' });
  });

  it('are refused by a task that asks, one that ended, one that is unknown, and one that keeps too many', () => {
    const tasks = running();
    for (let at = 0; at < 64; at += 1) expect(tasks.followUp('a', more(`n${at}`)).ok).toBe(true);
    expect(tasks.followUp('a', more('over'))).toMatchObject({ ok: false, reason: expect.stringContaining('too many') });
    tasks.takeFollowUps('a');
    tasks.setInputRequired('a', 'which?', () => undefined);
    expect(tasks.followUp('a', more('x')).ok).toBe(false);
    tasks.cancel('a');
    expect(tasks.followUp('a', more('x')).ok).toBe(false);
    expect(tasks.followUp('nobody', more('x')).ok).toBe(false);
  });

  it('reach a trusted task from a trusted sender only', () => {
    const tasks = registry();
    tasks.enqueue(request('a', 'user'));
    expect(tasks.followUp('a', more('x'))).toEqual({ ok: false, reason: "task is not the sender's" });
    expect(tasks.followUp('a', more('x', 'trusted')).ok).toBe(true);
  });
});
