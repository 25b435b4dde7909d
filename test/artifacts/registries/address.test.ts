import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { baseAddress, below, redirectTarget } from '../../../src/artifacts/registries/http/address.js';
import { exchange } from '../../../src/artifacts/registries/http/exchange.js';
import { connectionFailure, NoAnswer, serverText } from '../../../src/artifacts/registries/http/failure.js';
import { Secret } from '../../../src/errors/index.js';
import { isWellFormed } from '../../../src/text/index.js';
import { quick, serve } from './server.js';

describe('where a redirect may lead', () => {
  test.each([
    ['https://a.example/x', '/y', 'https://a.example/y'],
    ['https://a.example/x', 'https://b.example/y', 'https://b.example/y'],
    ['http://a.example/x', 'https://a.example/y', 'https://a.example/y'],
    ['http://a.example/x', '//b.example/y', 'http://b.example/y'],
  ])('from %s to %s', (from, location, to) => {
    expect(redirectTarget('GET', new URL(from), 302, location)?.href).toBe(to);
  });

  test('never from https to http, nor to another scheme', () => {
    for (const location of ['http://a.example/', 'ftp://a.example/', 'file:///x', 'javascript:1', 'blob:https://a/b']) {
      expect(() => redirectTarget('GET', new URL('https://a.example/x'), 302, location)).toThrow(
        /redirected from https/,
      );
    }
  });

  test('whatever a server writes, only http or https comes out, and never less than before', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('http://a.example/p/', 'https://a.example/p/'),
        fc.oneof(fc.string(), fc.webUrl(), fc.webPath()),
        (from, location) => {
          let to: URL | undefined;
          try {
            to = redirectTarget('GET', new URL(from), 301, location);
          } catch (error) {
            expect(error).toBeInstanceOf(NoAnswer);
            return;
          }
          expect(from.startsWith('https') ? ['https:'] : ['http:', 'https:']).toContain(to?.protocol);
          expect(to?.username).toBe('');
        },
      ),
    );
  });

  test('a status that redirects nothing, or names no place, is an answer', () => {
    expect(redirectTarget('GET', new URL('http://a.example'), 304, '/x')).toBeUndefined();
    expect(redirectTarget('GET', new URL('http://a.example'), 302)).toBeUndefined();
  });

  test('a POST goes on only at home, with its method kept', () => {
    const from = new URL('http://a.example/x');
    expect(redirectTarget('POST', from, 308, '/y')?.href).toBe('http://a.example/y');
    expect(() => redirectTarget('POST', from, 302, '/y')).toThrow(/redirected a POST/);
    expect(() => redirectTarget('POST', from, 307, 'http://b.example/y')).toThrow(/redirected a POST/);
  });
});

test.each(['127.0.0.1', '[::1]', '[::ffff:127.0.0.1]', '169.254.169.254', '2130706433', 'localhost'])(
  'a public server cannot send us to %s',
  async (host) => {
    const { url: own, seen } = await serve((_request, response) => void response.end('secret'));
    const url = new URL(own);
    url.hostname = host;
    const signal = new AbortController().signal;
    const asked = exchange({ method: 'GET', url, isFromPublic: true }, quick, signal);
    await expect(asked).rejects.toThrow('redirected from a public server to a private address');
    expect(seen).toEqual([]);
  },
);

test('a segment of an address never climbs out of its place', () => {
  const base = baseAddress('http://a.example/api/', 'x');
  expect(below(base, ['v1', 'a/b', '..%2f']).href).toBe('http://a.example/api/v1/a%2Fb/..%252f');
  for (const bad of ['', '.', '..']) expect(() => below(base, [bad])).toThrow(TypeError);
  fc.assert(
    fc.property(fc.string({ minLength: 1 }), (segment) => {
      fc.pre(segment !== '.' && segment !== '..' && isWellFormed(segment));
      const url = below(base, [segment]);
      expect(url.origin).toBe('http://a.example');
      expect(url.pathname.split('/').slice(0, 2)).toEqual(['', 'api']);
      expect(decodeURIComponent(url.pathname.slice('/api/'.length))).toBe(segment);
    }),
  );
});

test('text of a server is one short line without controls and without the secret it was sent', () => {
  expect(serverText('a\r\n\tb\u001b]0;x\u0007 key-1', [new Secret('key-1')])).toBe('a b␛]0;x␇ <redacted>');
  expect(serverText('x'.repeat(10_000))).toHaveLength(300);
});

test('a failure of several addresses is told by one of them', () => {
  const refused = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:9'), { code: 'ECONNREFUSED' });
  const failure = connectionFailure(new AggregateError([refused]));
  expect([failure.reason, failure.isPassing]).toEqual(['request failed: connect ECONNREFUSED 127.0.0.1:9', true]);
  expect(connectionFailure('odd').reason).toBe('request failed: odd');
});
