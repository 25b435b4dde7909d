import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { TokenCounter } from '../../src/effects/token-counter.js';
import { countTokens, estimateTokens } from '../../workers/occupancy.js';

const threads = () => readdirSync('/proc/self/task').length;
const prose = 'It "jumps"\n\tover {"lazy": ["dogs"]} … naïve 日本語 \u{1F600}. ';

test('counts what the counting code counts, every text for whoever asked', async () => {
  const counter = new TokenCounter();
  const texts = ['', 'hello world', prose, prose.repeat(3_000), 'last'];
  const expected = await Promise.all(texts.map(countTokens));
  expect(await Promise.all(texts.map((text) => counter.count(text)))).toEqual(expected);
  await counter.close();
});

test('shares one thread, which ends with the last counter', async () => {
  const before = threads();
  const [one, other] = [new TokenCounter(), new TokenCounter()];
  expect(threads()).toBe(before);
  await Promise.all([one.count(prose), other.count(prose)]);
  const during = threads();
  expect(during).toBeGreaterThan(before);
  await one.close();
  await one.close();
  expect(threads()).toBe(during);
  expect(await other.count('hello world')).toBe(2);
  await other.close();
  await expect.poll(threads).toBe(before);
  const next = new TokenCounter();
  expect(await next.count('hello world')).toBe(2);
  await next.close();
});

test('estimates what nobody is left to count', async () => {
  const counter = new TokenCounter();
  const long = prose.repeat(20_000);
  const counting = counter.count(long);
  await counter.close();
  expect(await counting).toBe(estimateTokens(long));
  expect(await counter.count('abcde')).toBe(2);
});

test('keeps this thread free while the vocabulary is loaded and a long text counted', async () => {
  const counter = new TokenCounter();
  const before = performance.eventLoopUtilization();
  const startedMs = performance.now();
  await counter.count(prose.repeat(20_000));
  const { active } = performance.eventLoopUtilization(before);
  expect(active).toBeLessThan((performance.now() - startedMs) / 2);
  await counter.close();
});
