import { createHmac } from 'node:crypto';
import { inspect } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TokenKey, tokenId } from '../../../src/door/auth/index.js';
import { Secret } from '../../../src/errors/index.js';

const family = { tag: 'tst1', domain: 'murmur-test-v1' };
const payload = { credential: 'reader', scopes: ['tasks/get'] };

describe('a token (spec/door.md 16.1)', () => {
  it('opens with the key that made it, and gives the payload back', () => {
    const key = new TokenKey();
    const token = key.mint(family, payload).reveal();
    expect(token).toMatch(/^tst1\.[\w-]+\.[\w-]{43}$/);
    expect(key.open(family, token)).toEqual({ ok: true, payload });
  });

  it('is not valid under another key, another domain, or an erased key', () => {
    const key = new TokenKey();
    const token = key.mint(family, payload).reveal();
    const notValid = { ok: false, error: 'not-valid' };
    expect(new TokenKey().open(family, token)).toEqual(notValid);
    expect(key.open({ ...family, domain: 'murmur-other-v1' }, token)).toEqual(notValid);
    key.erase();
    expect(key.open(family, token)).toEqual(notValid);
    expect(() => key.mint(family, payload)).toThrow('the token key was erased');
  });

  it('made by a zeroed key is not valid once the key is zeroed', () => {
    const key = new TokenKey();
    key.erase();
    const forged = forge(Buffer.alloc(32));
    expect(key.open(family, forged)).toEqual({ ok: false, error: 'not-valid' });
  });

  it('with another tag is malformed', () => {
    const key = new TokenKey();
    const token = key.mint(family, payload).reveal();
    expect(key.open({ ...family, tag: 'tst2' }, token)).toEqual({ ok: false, error: 'malformed' });
  });

  it('bound to a value needs it, does not contain it, and takes no other split of the same text', () => {
    const key = new TokenKey();
    const token = key.mint(family, payload, ['audience', 'x']).reveal();
    expect(key.open(family, token, ['audience', 'x']).ok).toBe(true);
    expect(Buffer.from(token.split('.')[1]!, 'base64url').toString()).not.toContain('audience');
    for (const bound of [[], ['audience'], ['audiencex'], ['x', 'audience'], ['audience', 'x', '']]) {
      expect(key.open(family, token, bound)).toEqual({ ok: false, error: 'not-valid' });
    }
  });

  it.each([
    '',
    'tst1',
    'tst1.abc',
    'tst1.YQ.YQ.YQ',
    'tst1..YQ',
    'tst1.YQ.',
    'tst1.Y!.YQ',
    'tst1.YQ.Y+',
    'tst1.YQ==.YQ',
    '.YQ.YQ',
  ])('%j is malformed', (text) => {
    expect(new TokenKey().open(family, text)).toEqual({ ok: false, error: 'malformed' });
  });

  it('has one spelling: no change of any character opens', () => {
    const key = new TokenKey();
    const token = key.mint(family, payload).reveal();
    fc.assert(
      fc.property(fc.nat(token.length - 1), fc.constantFrom(...'AZaz09-_.=+/ '), (at, char) => {
        fc.pre(token[at] !== char);
        expect(key.open(family, token.slice(0, at) + char + token.slice(at + 1)).ok).toBe(false);
      }),
    );
  });

  it('any text at all is refused and never throws', () => {
    const key = new TokenKey();
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => !key.open(family, text).ok));
    fc.assert(fc.property(fc.base64String(), (text) => !key.open(family, `tst1.${text}.${text}`).ok));
  });

  it('shows itself nowhere, and is named in a log by 16 hex digits', () => {
    const token = new TokenKey().mint(family, payload);
    expect(`${token} ${JSON.stringify({ token })} ${inspect(token)}`).not.toContain('tst1');
    expect(tokenId(new Secret('abc'))).toBe('ba7816bf8f01cfea');
  });
});

/** A token made by hand, by the rule of the spec, with these key bytes. */
function forge(keyBytes: Buffer): string {
  const body = Buffer.from(JSON.stringify(payload)).toString('base64url');
  const mac = createHmac('sha256', keyBytes).update(`${family.domain}\x1f${body}`).digest('base64url');
  return `${family.tag}.${body}.${mac}`;
}
