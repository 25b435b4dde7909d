import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { assign, createActor, emit, fromCallback, setup } from 'xstate';
import { guard, listen, observe, safeWith } from '../../src/supervise/index.js';

let uncaught: unknown[] = [];
const hear = (error: unknown) => uncaught.push(error);
beforeEach(() => {
  uncaught = [];
  process.on('uncaughtException', hear);
});
afterEach(async () => {
  await new Promise((resolve) => setTimeout(resolve, 5)); // xstate reports unhandled errors from a timer
  process.off('uncaughtException', hear);
  expect(uncaught).toEqual([]);
});

const machine = setup({
  types: {
    context: {} as { count: number; bugs: string[] },
    events: {} as { type: 'go' | 'crash' | 'end' | 'say' } | { type: 'bug'; name: string },
    emitted: {} as { type: 'said'; words: string },
  },
  actions: {
    crash: () => {
      throw new Error('crashed');
    },
    count: assign({ count: ({ context }) => context.count + 1 }),
    note: assign({ bugs: ({ context }, params: { name: string }) => [...context.bugs, params.name] }),
    say: emit({ type: 'said', words: 'hello' }),
  },
}).createMachine({
  context: { count: 0, bugs: [] },
  initial: 'on',
  on: {
    go: { actions: 'count' },
    crash: { actions: 'crash' },
    say: { actions: 'say' },
    bug: { actions: { type: 'note', params: ({ event }) => event } },
    end: '.off',
  },
  states: { on: {}, off: { type: 'final' } },
});

describe('observe', () => {
  it('tells of each snapshot and of the end', () => {
    const seen: unknown[] = [];
    const actor = createActor(machine).start();
    observe(actor, {
      next: (snapshot) => seen.push(snapshot.context.count),
      error: (error) => seen.push(error),
      complete: () => seen.push('complete'),
    });
    actor.send({ type: 'go' });
    actor.send({ type: 'end' });
    expect(seen).toEqual([1, 1, 'complete']);
  });

  it('keeps the error of an actor, and of its own handlers, away from the process', () => {
    const errors: unknown[] = [];
    const actor = createActor(machine);
    observe(actor, {
      next: () => {
        throw new Error('handler');
      },
      error: (error) => errors.push(error),
    });
    actor.start();
    actor.send({ type: 'crash' });
    expect(errors).toEqual([new Error('handler'), new Error('crashed')]);
  });

  it('can stop watching', () => {
    const seen: number[] = [];
    const actor = createActor(machine).start();
    const subscription = observe(actor, { next: () => seen.push(1), error: () => undefined });
    subscription.unsubscribe();
    actor.send({ type: 'go' });
    actor.stop();
    expect(seen).toEqual([]);
  });
});

describe('listen', () => {
  it('hears what an actor emits, and a listener that throws harms neither actor nor process (reports row 26)', () => {
    const heard: unknown[] = [];
    const faults: unknown[] = [];
    const actor = createActor(machine);
    listen(
      actor,
      'said',
      (event) => {
        heard.push(event.words);
        throw new Error('listener');
      },
      (error) => faults.push(error),
    );
    actor.start();
    actor.send({ type: 'say' });
    actor.send({ type: 'go' });
    expect(heard).toEqual(['hello']);
    expect(faults).toEqual([new Error('listener')]);
    expect(actor.getSnapshot()).toMatchObject({ status: 'active', context: { count: 1 } });
    actor.stop();
  });
});

describe('safeWith', () => {
  it('turns the throw of an action into a report and a bug event, and the machine lives on', () => {
    const reported: unknown[] = [];
    const safe = safeWith((name, error) => reported.push([name, error]));
    const actor = createActor(
      machine.provide({
        actions: {
          crash: safe('crash', () => {
            throw new Error('crashed');
          }),
        },
      }),
    ).start();
    actor.send({ type: 'crash' });
    expect(reported).toEqual([['crash', new Error('crashed')]]);
    expect(actor.getSnapshot()).toMatchObject({ status: 'active', context: { bugs: ['crash'] } });
    actor.stop();
  });

  it('hands arguments and parameters through', () => {
    const seen: unknown[] = [];
    const action = safeWith(() => undefined)(
      'a',
      (args: { context: number }, params: string) => void seen.push(args, params),
    );
    action({ context: 1 }, 'p');
    expect(seen).toEqual([{ context: 1 }, 'p']);
  });
});

describe('guard', () => {
  it.each([
    [
      'throws',
      () => {
        throw new Error('broken');
      },
    ],
    ['rejects', () => Promise.reject(new Error('broken'))],
  ])('sends the parent an event when a listener of an effect %s', async (_, broken) => {
    const received: unknown[] = [];
    let fire: () => void = () => undefined;
    const effect = fromCallback<{ type: string }>(({ sendBack }) => {
      fire = guard(sendBack, (error) => ({ type: 'poll.failed', error }), broken);
    });
    const actor = createActor(
      setup({ actors: { effect }, actions: { note: ({ event }) => void received.push(event) } }).createMachine({
        invoke: { src: 'effect' },
        on: { 'poll.failed': { actions: 'note' } },
      }),
    ).start();
    fire();
    await Promise.resolve();
    expect(received).toEqual([{ type: 'poll.failed', error: new Error('broken') }]);
    actor.stop();
  });
});
