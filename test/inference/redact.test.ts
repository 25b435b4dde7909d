import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Secret } from '../../src/errors/index.js';
import { PieceRedactor, redactor } from '../../src/inference/index.js';

function pieces(values: readonly string[]): PieceRedactor {
  return new PieceRedactor({ values: () => values, redact: redactor(values.map((value) => new Secret(value))) });
}

describe('a text that comes in pieces', () => {
  test('reads as the whole text would, however it is cut', () => {
    const letters = (minLength: number) =>
      fc.array(fc.constantFrom('p', 'q', 'r'), { minLength, maxLength: 6 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(
        fc.array(letters(1), { minLength: 1, maxLength: 4 }),
        fc.array(fc.oneof(letters(0), fc.string({ maxLength: 4 })), { maxLength: 20 }),
        (values, cut) => {
          const redacting = pieces(values);
          const shown = cut.map((piece) => redacting.push(piece)).join('') + redacting.end();
          expect(shown).toBe(redactor(values.map((value) => new Secret(value)))(cut.join('')));
        },
      ),
      {
        numRuns: 5_000,
        examples: [
          [
            ['ppp', 'pppqq'],
            ['ppp', 'qq'],
          ],
        ],
      },
    );
  });

  test('comes out at once where it cannot be the beginning of a secret', () => {
    const redacting = pieces(['sk-secret']);
    expect(redacting.push('hello ')).toBe('hello ');
    expect(redacting.push('sk-')).toBe('');
    expect(redacting.push('ating')).toBe('sk-ating');
    expect(redacting.push('and sk-sec')).toBe('and ');
    expect(redacting.push('ret.')).toBe('[redacted].');
    expect(redacting.push('sk')).toBe('');
    expect(redacting.end()).toBe('sk');
  });

  test('is kept free of a secret that is learned on the way', () => {
    const values: string[] = [];
    const redacting = new PieceRedactor({
      values: () => values,
      redact: (text) => redactor(values.map((value) => new Secret(value)))(text),
    });
    expect(redacting.push('sk-new')).toBe('sk-new');
    values.push('sk-new');
    expect(redacting.push(' sk-') + redacting.push('new')).toBe(' [redacted]');
  });
});
