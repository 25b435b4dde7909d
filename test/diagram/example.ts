import { and, fromPromise, not, setup } from 'xstate';

/** One of everything a chart can hold. */
export const example = setup({
  actors: { fetch: fromPromise(async () => 1) },
  actions: { greet: () => undefined, part: () => undefined, note: () => undefined },
  guards: { ready: () => true, late: () => false },
  delays: { patience: 1_000 },
}).createMachine({
  id: 'example',
  initial: 'idle',
  on: { kill: { target: '.gone', actions: 'note' }, ping: { actions: 'note' } },
  states: {
    idle: {
      description: 'Nothing <yet> & "quiet".',
      entry: 'greet',
      exit: 'part',
      on: {
        go: [
          { guard: 'ready', target: 'busy', actions: ['note', { type: 'greet' }] },
          { guard: and(['late', not('ready')]), target: 'gone' },
          { target: 'idle', reenter: true },
        ],
        stay: { actions: 'note' },
      },
    },
    busy: {
      type: 'parallel',
      invoke: { id: 'get', src: 'fetch', onDone: 'gone', onError: 'gone' },
      on: { rest: '.left.two' },
      states: {
        left: {
          initial: 'one',
          states: {
            one: { on: { step: 'two' }, after: { patience: '#example.gone', 250: 'two' } },
            two: {},
            back: { type: 'history', history: 'deep' },
          },
        },
        right: { initial: 'on', states: { on: { always: { guard: 'late', target: 'off' } }, off: { type: 'final' } } },
      },
    },
    gone: { type: 'final' },
  },
});

/** Six steps in a row; each can fail. */
export const sequence = setup({}).createMachine({
  id: 'sequence',
  initial: 'steps',
  states: {
    steps: {
      initial: 's0',
      states: {
        s0: { on: { next: 's1', fail: '#sequence.failed' } },
        s1: { on: { next: 's2', fail: '#sequence.failed' } },
        s2: { on: { next: 's3', fail: '#sequence.failed' } },
        s3: { on: { next: 's4', fail: '#sequence.failed' } },
        s4: { on: { next: 's5', fail: '#sequence.failed' } },
        s5: { on: { next: '#sequence.done', fail: '#sequence.failed' } },
      },
    },
    done: { type: 'final' },
    failed: { type: 'final' },
  },
});
