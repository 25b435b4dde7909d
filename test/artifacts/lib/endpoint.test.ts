import { expect, test } from 'vitest';
import { target } from '../../../artifacts/lib/endpoint.js';

test.each([
  ['http://127.0.0.1:8080/v1/messages', { scheme: 'HTTP', authority: '127.0.0.1:8080', path: '/v1/messages' }],
  ['HTTPS://api.example.com', { scheme: 'HTTPS', authority: 'api.example.com', path: '/' }],
  ['http://[::1]:9/x', { scheme: 'HTTP', authority: '[::1]:9', path: '/x' }],
])('takes %s apart', (url, parts) => {
  expect(target(url)).toEqual(parts);
});

test.each(['ftp://a/b', 'api.example.com', 'http://a/b?c', 'http://a/#b', 'http:///x', 'http://a b/'])(
  'refuses %s',
  (url) => {
    expect(() => target(url)).toThrow(url);
  },
);

test('never shows user information', () => {
  expect(() => target('https://user:pw@host/')).toThrow(/^(?!.*pw).*user information/);
});
