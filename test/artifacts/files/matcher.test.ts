import { expect, test } from 'vitest';
import { matcher } from '../../../artifacts/mur-tool-files/src/action/matcher.js';

test('a literal search takes no character as special', () => {
  const { matches, mayMatch } = matcher({ pattern: 'a.*', regex: false, ignoreCase: false });
  expect(matches('xa.*y')).toBe(true);
  expect(matches('abc')).toBe(false);
  expect(mayMatch('line\na.*')).toBe(true);
  expect(mayMatch('line\nabc')).toBe(false);
});

test('case is ignored on request, in both kinds', () => {
  expect(matcher({ pattern: 'ÄB', regex: false, ignoreCase: true }).matches('xäby')).toBe(true);
  expect(matcher({ pattern: '^ab', regex: true, ignoreCase: true }).matches('ABC')).toBe(true);
  expect(matcher({ pattern: '^ab', regex: true, ignoreCase: false }).matches('ABC')).toBe(false);
});

test('a pattern that does not compile is refused with a way out', () => {
  expect(() => matcher({ pattern: '(', regex: true, ignoreCase: false })).toThrow('set regex to false');
  expect(() => matcher({ pattern: '', regex: false, ignoreCase: false })).toThrow('pattern is empty');
});
