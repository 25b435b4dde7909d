import fc from 'fast-check';
import { countTokens as exactCount } from 'gpt-tokenizer/encoding/cl100k_base';
import { describe, expect, test } from 'vitest';
import { countTokens, estimateTokens } from '../../workers/occupancy.js';
import { cpuMs } from '../cpu.js';

const exact = (text: string) => exactCount(text, { disallowedSpecial: new Set() });

describe('countTokens (spec/session.md 6.2)', () => {
  test.each([
    ['', 0],
    ['hello world', 2],
  ])('%j has %i tokens', async (text, count) => {
    expect(await countTokens(text)).toBe(count);
  });

  test('special tokens are counted as text and never throw', async () => {
    for (const special of ['<|endoftext|>', '<|im_start|>', '<|fim_prefix|>', '<|endofprompt|>']) {
      expect(await countTokens(`a ${special} b`)).toBeGreaterThan(4);
    }
  });

  test('short text is exact, lone surrogates included', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 200 }), async (text) => {
        expect(await countTokens(text)).toBe(exact(text));
      }),
      { numRuns: 50 },
    );
    expect(await countTokens('\ud800 x')).toBe(exact('\ud800 x'));
  });

  test('long prose and JSON are exact although counted in slices', async () => {
    const prose =
      'The quick brown fox, 12345 times.  It "jumps"\n\tover {"lazy": ["dogs"]} … naïve 日本語 \u{1F600}. '.repeat(
        2500,
      );
    expect(prose.length).toBeGreaterThan(3 * 64 * 1024);
    expect(await countTokens(prose)).toBe(exact(prose));
    const json = JSON.stringify(
      Array.from({ length: 4000 }, (_, index) => ({ role: 'user', text: `item ${index} is here` })),
    );
    expect(json.length).toBeGreaterThan(2 * 64 * 1024);
    expect(await countTokens(json)).toBe(exact(json));
  });

  test('a hostile run of one letter, blank or sign is counted in time, about right', async () => {
    for (const unit of ['a', ' ', '=', '\u{20000}', 'é']) {
      const started = cpuMs();
      const count = await countTokens(unit.repeat(150_000));
      expect(cpuMs() - started).toBeLessThan(5000);
      expect(count).toBeGreaterThan(500);
    }
    const run = `x ${'a'.repeat(1500)} y`;
    expect(Math.abs((await countTokens(run)) - exact(run))).toBeLessThanOrEqual(6);
  });

  test('lets other work run while it counts', async () => {
    let ticks = 0;
    const timer = setInterval(() => {
      ticks += 1;
    }, 1);
    await countTokens('word after word; '.repeat(60_000));
    clearInterval(timer);
    expect(ticks).toBeGreaterThan(3);
  });
});

test('estimateTokens is a quarter of the bytes', () => {
  expect(['', 'abcd', 'abcde', '\u{1F600}'].map(estimateTokens)).toEqual([0, 1, 2, 1]);
});
