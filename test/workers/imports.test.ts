import { expect, test } from 'vitest';
import { murmurImports } from '../../workers/imports.js';
import type { GuestBridge } from '../../workers/protocol.js';

test('millions of empty arguments, which cost a guest nothing, are not copied to main', () => {
  const asked: unknown[] = [];
  const bridge: GuestBridge = {
    call: <T>(op: string, args: unknown) => {
      asked.push([op, args]);
      return 'answer' as T;
    },
    post: () => undefined,
  };
  const { run } = murmurImports(bridge)['murmur:shell/execute'] as Record<string, (...args: unknown[]) => unknown>;
  const refusal = 'more than 262144 arguments and variables';
  expect(() => run!('echo', new Array(262_145).fill(''), [])).toThrow(refusal);
  expect(() => run!('echo', new Array(200_000).fill(''), new Array(100_000).fill(['A', '']))).toThrow(refusal);
  expect(asked).toEqual([]);
  expect(run!('echo', ['a'], [['A', 'b']])).toBe('answer');
  expect(asked).toEqual([['shell.run', { binary: 'echo', args: ['a'], env: [['A', 'b']] }]]);
});
