import fc from 'fast-check';
import { expect, it } from 'vitest';
import { readQuery } from '../../../src/door/rest/query.js';
import { findRoute } from '../../../src/door/rest/routes.js';

it.each([
  ['/tasks', {}],
  ['/tasks?', {}],
  ['/tasks?pageSize=10&historyLength=0', { pageSize: 10, historyLength: 0 }],
  ['/tasks?includeArtifacts=true', { includeArtifacts: true }],
  ['/tasks?includeArtifacts=false', { includeArtifacts: false }],
  ['/tasks?includeArtifacts=yes', { includeArtifacts: 'yes' }],
  ['/tasks?contextId=a%2Fb+c&pageToken=x%3D', { contextId: 'a/b c', pageToken: 'x=' }],
  ['/tasks?status=input-required', { status: 'TASK_STATE_INPUT_REQUIRED' }],
  ['/tasks?status=TASK_STATE_WORKING', { status: 'TASK_STATE_WORKING' }],
  ['/tasks?pageSize=1&pageSize=2', { pageSize: ['1', '2'] }],
  ['/tasks?pageSize=9999999999999999', { pageSize: '9999999999999999' }],
  ['/tasks?page_size=1&__proto__=x&constructor=y', {}],
])('%s', (url, expected) => {
  expect(readQuery(url)).toEqual(expected);
});

it('any query is read, and gives known names only', () => {
  const known = new Set(
    Object.keys(readQuery('?historyLength&pageSize&pageToken&contextId&status&statusTimestampAfter&includeArtifacts')),
  );
  expect(known.size).toBe(7);
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      for (const name of Object.keys(readQuery(`/tasks?${text}`))) expect(known).toContain(name);
    }),
  );
});

it('any path is one operation or none, and an id comes out as it went in', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1 }), (id) => {
      const path = `/tasks/${encodeURIComponent(id)}`;
      expect(findRoute('GET', path)).toMatchObject({ route: { method: 'GetTask' }, inPath: { id } });
      expect(findRoute('POST', `${path}:cancel`)).toMatchObject({ route: { method: 'CancelTask' }, inPath: { id } });
    }),
  );
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 200 }), fc.string(), (path, verb) => {
      const found = findRoute(verb, `/${path}`);
      expect(found === undefined || found.verbs.length > 0).toBe(true);
    }),
  );
});
