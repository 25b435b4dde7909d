import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parsePeerUrl } from '../../src/peer/address.js';

describe('the address of a peer', () => {
  test.each([
    ['localhost:4000', 'http', 'localhost', 4000, '/'],
    ['example.com', 'http', 'example.com', 80, '/'],
    ['HTTP://Example.COM:80', 'http', 'example.com', 80, '/'],
    ['https://example.com', 'https', 'example.com', 443, '/'],
    ['https://example.com:8443/agents/one?x=1', 'https', 'example.com', 8443, '/agents/one?x=1'],
    ['[::1]:4000', 'http', '[::1]', 4000, '/'],
    ['127.0.0.1:1/a b', 'http', '127.0.0.1', 1, '/a%20b'],
    ['localhost:4000#part', 'http', 'localhost', 4000, '/'],
  ])('%s', (url, scheme, host, port, path) => {
    expect(parsePeerUrl(url)).toEqual({ target: { scheme, host, port }, path, text: url });
  });

  test.each([
    '',
    'http://',
    '://x',
    'ftp://example.com',
    'file:///etc/passwd',
    'javascript://x',
    'http://user:pass@example.com',
    'user@example.com',
    'example.com:0',
    'example.com:99999',
    'example.com:',
    '*.example.com',
    'a b',
    'http://a\nb/',
    `http://${'a'.repeat(3000)}/`,
  ])('%j is none', (url) => {
    expect(() => parsePeerUrl(url)).toThrow(/^invalid peer URL '/);
  });

  test('is parsed or refused, and what is parsed leads where the platform would go', () => {
    const piece = fc.constantFrom(
      'http://',
      'https://',
      '/',
      '\\',
      '@',
      ':',
      '[',
      ']',
      '#',
      '?',
      '80',
      'a.b',
      '%2f',
      ' ',
    );
    const text = fc.oneof(
      fc.string(),
      fc.webUrl(),
      fc.array(piece, { maxLength: 8 }).map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(text, (url) => {
        let parsed: ReturnType<typeof parsePeerUrl>;
        try {
          parsed = parsePeerUrl(url);
        } catch (error) {
          expect((error as Error).message).toMatch(/^invalid peer URL '/);
          return;
        }
        const real = new URL(/^[a-z][a-z0-9+.-]*:\/\//i.test(url) ? url : `http://${url}`);
        expect(parsed.target.host).toBe(real.hostname);
        expect(`${parsed.target.scheme}:`).toBe(real.protocol);
        expect(parsed.target.port).toBe(Number(real.port || (real.protocol === 'https:' ? 443 : 80)));
        expect(parsed.path.startsWith('/')).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });
});
