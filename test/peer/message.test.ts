import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readAnswer, sendBody } from '../../src/peer/message.js';

const sent = { messageId: 'm', contextId: undefined, text: 'x' };
const states = ['submitted', 'working', 'input-required', 'completed', 'failed', 'rejected', 'canceled'];

test('whatever a peer answers is a task in the words of the contract, or a reason of bounded length', () => {
  const key = fc.constantFrom(
    ...'id result error status state task message messageId contextId code'.split(' '),
    '__proto__',
  );
  const word = fc.constantFrom('req_1', 'TASK_STATE_WORKING', 'TASK_STATE_AUTH_REQUIRED', 'working', 'toString', '2.0');
  const { any } = fc.letrec((tie) => ({
    any: fc.oneof(word, fc.jsonValue(), fc.array(tie('any')), fc.dictionary(key, tie('any'), { maxKeys: 6 })),
  }));
  const result = fc.dictionary(key, any, { maxKeys: 6 });
  const body = fc.oneof(
    fc.string(),
    any.map((value) => JSON.stringify(value)),
    result.map((value) => JSON.stringify({ jsonrpc: '2.0', id: 'req_1', result: value })),
  );
  fc.assert(
    fc.property(fc.constantFrom(200, 201, 302, 401, 403, 500), body, (status, text) => {
      try {
        const task = readAnswer({ status, body: text }, 'req_1', sent);
        expect(states).toContain(task.state);
        expect([typeof task.taskId, typeof task.contextId]).toEqual(['string', 'string']);
      } catch (error) {
        expect(error).toBeInstanceOf(Error);
        expect((error as Error).message).toMatch(/^it /);
        expect((error as Error).message.length).toBeLessThan(500);
      }
    }),
    { numRuns: 2000 },
  );
});

test('an answer that is nested without end is read like any other', () => {
  const deep = (value: string) => `{"jsonrpc":"2.0","id":"req_1","result":${value}}`;
  const nested = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;
  expect(() => readAnswer({ status: 200, body: deep(nested) }, 'req_1', sent)).toThrow('it answered');
  const task = `{"id":"t","status":{"state":"working"},"metadata":${nested}}`;
  expect(readAnswer({ status: 200, body: deep(task) }, 'req_1', sent)).toMatchObject({ taskId: 't' });
});

test('a JSON-RPC error under an HTTP status of its own is told as what it is', () => {
  const body = JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32602, message: 'bad message' } });
  expect(() => readAnswer({ status: 400, body }, 'req_1', sent)).toThrow(
    'it refused the message: bad message (-32602)',
  );
});

test('any text arrives as it was, in either dialect', () => {
  fc.assert(
    fc.property(fc.constantFrom('v1', 'murmur'), fc.string({ unit: 'binary' }), (dialect, text) => {
      const { params } = JSON.parse(sendBody({ dialect } as const, 'req_1', { ...sent, text }));
      expect(params.message.parts[0].text).toBe(text);
      expect(params.message).not.toHaveProperty('contextId');
    }),
  );
});
