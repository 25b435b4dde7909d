import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Secret } from '../../src/errors/index.js';
import { SecretTexts, streamRedactor } from '../../src/inspect/secrets.js';

const secrets = ['planted-secret-one', 'plant', 'nted-se', 'aaaab'];
const texts = new SecretTexts(() => secrets.map((text) => new Secret(text)));

describe('a text that comes in pieces', () => {
  it('never shows a secret, wherever it is cut, and loses nothing else', () => {
    const word = fc.oneof(
      fc.constantFrom(...secrets, ' ', 'x', 'plan', 'aaaa', 'Bearer ', 'abcdefgh12345'),
      fc.string({ maxLength: 5 }),
    );
    fc.assert(
      fc.property(
        fc.array(word, { maxLength: 12 }),
        fc.infiniteStream(fc.integer({ min: 1, max: 9 })),
        (words, sizes) => {
          const text = words.join('');
          const stream = streamRedactor(texts);
          let shown = '';
          for (let at = 0; at < text.length; ) {
            const size = sizes.next().value as number;
            shown += stream.push(text.slice(at, at + size));
            at += size;
          }
          shown += stream.end();
          for (const secret of secrets) expect(shown).not.toContain(secret);
          if (!secrets.some((secret) => text.includes(secret)) && !/bearer|basic/i.test(text)) expect(shown).toBe(text);
          expect(shown).not.toMatch(/\bBearer\s+[a-z0-9]{8}/);
        },
      ),
      { numRuns: 1_000 },
    );
  });
});

describe('secrets that change', () => {
  it('stay secret after they were replaced by others', async () => {
    let key = new Secret('first-key-of-all');
    const rotating = new SecretTexts(() => [key]);
    expect(rotating.redact('first-key-of-all')).toBe('[redacted]');
    key = new Secret('second-key-of-all');
    await expect.poll(() => rotating.redact('first-key-of-all second-key-of-all')).toBe('[redacted] [redacted]');
  });
});
