import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { assign, createActor, setup } from 'xstate';
import { activeIds } from '../../src/diagram/index.js';
import { type BusySession, busySession, subjectOf } from './busy.js';
import { hubForTest, Watcher } from './wire.js';

function session(sys: string, options = {}): BusySession {
  const busy = busySession(sys, options);
  onTestFinished(() => busy.stop());
  return busy;
}

async function idle({ root }: BusySession): Promise<void> {
  while (JSON.stringify(root.getSnapshot().value) !== '{"running":{"serving":"waiting"}}') await sleep(1);
}

const attached = (busy: BusySession): number => {
  const { _sendInspectionEvent: send } = busy.root.system as unknown as {
    _sendInspectionEvent: (event: object) => void;
  };
  let seen = 0;
  // The observers of a system are private; an event is read only when there is one.
  send({
    get type() {
      seen += 1;
      return 'probe';
    },
  });
  return seen;
};

describe('while nobody watches', () => {
  it('no inspection is attached: not before the first client, not after the last', async () => {
    const { hub, port, token } = await hubForTest();
    const busy = session('ses_a', { isRecorded: false });
    hub.add(busy.subject);
    await busy.work();
    expect([hub.isAttached, attached(busy), hub.backlog]).toEqual([false, 0, 0]);
    const watcher = new Watcher(port, token);
    await watcher.synced('ses_a');
    expect([hub.isAttached, attached(busy)]).toEqual([true, 1]);
    await watcher.close();
    while (hub.clients > 0) await sleep(1);
    await busy.work();
    expect([hub.isAttached, attached(busy), hub.backlog]).toEqual([false, 0, 0]);
  });
});

describe('a client', () => {
  it('is told hello, the session, charts before actors, the tree, and then that it knows everything', async () => {
    const { hub, port, token } = await hubForTest();
    const busy = session('ses_a', { effectMs: 40 });
    hub.add(busy.subject);
    await idle(busy);
    void busy.work();
    await sleep(60);
    const watcher = new Watcher(port, token);
    await watcher.synced('ses_a');
    expect(JSON.parse(watcher.messages[0]!)).toHaveLength(1);
    const types = watcher.frames.map(({ type }) => type);
    expect(types.slice(0, 3)).toEqual(['hello', 'session', 'def']);
    const tree = watcher.frames.slice(0, types.indexOf('synced'));
    const ids = tree.flatMap((frame) => (frame.type === 'actor' ? [frame.id] : []));
    expect(ids.slice(0, 2)).toEqual(['session', 'session/task:tsk_1']);
    const known = new Set<string>();
    for (const frame of tree) {
      if (frame.type === 'def') known.add(frame.key);
      if (frame.type === 'actor' && frame.def !== undefined) expect(known).toContain(frame.def);
      if (frame.type === 'actor' && frame.parent !== undefined) expect(ids).toContain(frame.parent);
    }
  });

  it('can follow every state of a task, with the edges that were taken, and sees each actor come and go', async () => {
    const { hub, port, token } = await hubForTest();
    const busy = session('ses_a');
    hub.add(busy.subject);
    await idle(busy);
    const watcher = new Watcher(port, token);
    await watcher.synced('ses_a');
    await busy.work();
    await watcher.until(() => watcher.of('gone').some(({ id }) => id === 'session/task:tsk_1'));
    const call = 'session/task:tsk_1/turn:0/tool-call:0';
    const states = watcher
      .of('snap')
      .filter(({ id }) => id === call)
      .map(({ snap }) => activeIds('tool-call', snap.v as string).at(-1));
    expect(states).toEqual([
      'tool-call.admitting',
      'tool-call.running.wasm',
      'tool-call.fenced',
      'tool-call.recorded',
      'tool-call.done',
    ]);
    const edges = watcher.of('def').flatMap(({ chart }) => chart.edges.map(({ id }) => id));
    const taken = watcher.of('snap').flatMap(({ tr }) => tr);
    expect(taken.length).toBeGreaterThan(10);
    for (const edge of taken) expect(edges).toContain(edge);
    const born = watcher
      .of('actor')
      .map(({ id }) => id)
      .filter((id) => id !== 'session');
    expect(new Set(watcher.of('gone').map(({ id }) => id))).toEqual(new Set(born));
    const events = watcher.of('ev').filter(({ to }) => to === call);
    expect(events.map(({ ev, from }) => [ev.type, from])).toContainEqual(['xstate.done.actor.run', `${call}/run`]);
  });

  it('that comes second gets the same picture', async () => {
    const { hub, port, token } = await hubForTest();
    const busy = session('ses_a', { effectMs: 30 });
    hub.add(busy.subject);
    await idle(busy);
    const first = new Watcher(port, token);
    await first.synced('ses_a');
    void busy.work();
    await first.until(() => first.of('actor').some(({ name }) => name === 'tool-call'));
    const second = new Watcher(port, token);
    await second.synced('ses_a');
    await first.until(() => first.of('gone').some(({ id }) => id === 'session/task:tsk_1'));
    await second.until(() => second.of('gone').some(({ id }) => id === 'session/task:tsk_1'));
    const last = (watcher: Watcher) =>
      watcher
        .of('snap')
        .filter(({ id }) => id === 'session')
        .at(-1)?.snap;
    expect(last(second)).toEqual(last(first));
  });

  it('sees a session that is added later, and one that is taken away no more', async () => {
    const { hub, port, token } = await hubForTest();
    const watcher = new Watcher(port, token);
    await watcher.until(() => watcher.of('hello').length === 1);
    const busy = session('ses_late', { isRecorded: false });
    const remove = hub.add(busy.subject);
    await watcher.synced('ses_late');
    remove();
    const before = watcher.frames.length;
    await busy.work();
    await sleep(120);
    expect(watcher.frames.length).toBe(before);
    expect(attached(busy)).toBe(0);
  });
});

describe('whatever a context holds', () => {
  const hostile = () => {
    const circular: Record<string, unknown> = { big: 12n, text: 'x'.repeat(5_000_000), api_key: 'PLANTED-KEY' };
    circular.self = circular;
    Object.defineProperty(circular, 'trap', {
      enumerable: true,
      get: () => {
        throw new Error('getter ran');
      },
    });
    circular.proxy = new Proxy(
      {},
      {
        ownKeys: () => {
          throw new Error('proxy ran');
        },
      },
    );
    return circular;
  };

  it('the machine does what it does unwatched, and the page gets a small view of it', async () => {
    const { hub, port, token } = await hubForTest();
    const busy = session('ses_a', { output: () => ({ hostile: hostile() }) });
    hub.add(busy.subject);
    await idle(busy);
    const watcher = new Watcher(port, token);
    await watcher.synced('ses_a');
    await busy.work();
    await watcher.until(() => watcher.of('gone').some(({ id }) => id === 'session/task:tsk_1'));
    expect(busy.root.getSnapshot().context.ended).toEqual({ launch: 0, queued: 1 });
    const done = watcher.of('ev').find(({ ev }) => ev.type === 'xstate.done.actor.run');
    expect(done?.cut).toBeGreaterThan(4_900_000);
    expect(JSON.stringify(done).length).toBeLessThan(10_000);
    expect(watcher.messages.join('')).not.toContain('PLANTED-KEY');
  });

  it('keys that its chart does not let out are never sent', async () => {
    const { hub, port, token } = await hubForTest();
    const machine = setup({
      types: { context: {} as { secret: unknown; taskId: string }, events: {} as { type: 'poke' } },
      actions: { poke: assign({ taskId: 'tsk_2' }) },
    }).createMachine({
      id: 'task', // the view of `task` allows taskId and not `secret`
      context: { taskId: 'tsk_1', secret: hostile() },
      on: { poke: { actions: 'poke' } },
    });
    const root = createActor(machine).start();
    onTestFinished(() => void root.stop());
    hub.add(subjectOf('ses_a', root));
    const watcher = new Watcher(port, token);
    await watcher.synced('ses_a');
    root.send({ type: 'poke' });
    await watcher.until(() => watcher.of('snap').length > 0);
    expect(watcher.of('snap')[0]?.snap.c).toEqual({ taskId: 'tsk_2' });
  });

  it('an actor that throws is seen to fail', async () => {
    const { hub, port, token } = await hubForTest();
    const busy = session('ses_a', {
      output: () => {
        throw new Error('tool broke');
      },
    });
    hub.add(busy.subject);
    await idle(busy);
    const watcher = new Watcher(port, token);
    await watcher.synced('ses_a');
    await busy.work();
    const run = 'session/task:tsk_1/turn:0/tool-call:0/run';
    await watcher.until(() => watcher.of('gone').some(({ id }) => id === run));
    expect(
      watcher
        .of('gone')
        .filter(({ id }) => id === run)
        .map(({ why }) => why),
    ).toEqual(['error']);
    const failed = [...watcher.of('snap'), ...watcher.of('actor')].find(
      (frame) => frame.id === run && frame.snap.s === 'error',
    );
    expect(failed?.snap.e).toMatchObject({ message: 'tool broke' });
  });
});

describe('a client that is slow', () => {
  it('keeps memory bounded, is told what it lost, and has the right picture once it reads again', async () => {
    const { hub, port, token, clients } = await hubForTest({
      socketBytes: 64 * 1024,
      waitingFrames: 200,
      waitingKept: 400,
      waitingChars: 1_000_000,
    });
    const busy = session('ses_a');
    hub.add(busy.subject);
    await idle(busy);
    const watcher = new Watcher(port, token);
    await watcher.synced('ses_a');
    watcher.socket.pause();
    let most = 0;
    for (let task = 0; task < 400; task += 1) {
      await busy.work();
      most = Math.max(most, clients[0]!.waitingFrames);
      if (task % 10 === 0) await sleep(1);
    }
    expect(most).toBeLessThan(200 + 400 + 100);
    watcher.socket.resume();
    const ended = () => {
      const frame = watcher.frames.findLast(
        ({ type, ...rest }) => /^(?:snap|actor)$/.test(type) && 'id' in rest && rest.id === 'session',
      );
      return (frame as { snap?: { c?: { ended?: { queued: number } } } } | undefined)?.snap?.c?.ended?.queued;
    };
    await watcher.until(() => ended() === 400);
    expect(watcher.of('synced').some(({ again }) => again === true)).toBe(true);
    await busy.work();
    await watcher.until(() => ended() === 401);
    expect(watcher.of('lost').reduce((sum, frame) => sum + frame.ev + frame.snap, 0)).toBeGreaterThan(1_000);
  });

  it('that answers no ping is cut off', async () => {
    const { hub, port, token } = await hubForTest({ pingMs: 20 });
    const watcher = new Watcher(port, token);
    await watcher.until(() => watcher.of('hello').length === 1);
    watcher.socket.pause();
    while (hub.clients > 0) await sleep(5);
    expect(hub.isAttached).toBe(false);
  });
});
