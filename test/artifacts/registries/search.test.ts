import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { describeArchive } from '../../../src/artifacts/describe.js';
import { localStore } from '../../../src/artifacts/local-store.js';
import { findIndex, type IndexEntry, matching } from '../../../src/artifacts/registries/index.js';
import { failureOf, native, quick, serve, skill, temporaryFolder } from './server.js';

function entry(name: string, more: Partial<IndexEntry> = {}): IndexEntry {
  return { name, version: '1.0.0', runtime: 'tool', tags: [], platforms: [], ...more };
}

const words = ['name', 'version', 'runtime', 'description', 'tags', 'platforms'];
const rows = [
  { name: 'csv-merge', version: '1.0.4', runtime: 'tool', description: 'Merges tables', tags: ['Data'] },
  { name: 'ledger', version: '0.2.0', runtime: 'skill' },
];
const file = { schema_version: '1', updated_at: '2026-01-01T00:00:00Z', artifacts: rows };

function find(where: string, more: { env?: object; stores?: Parameters<typeof findIndex>[0]['stores'] } = {}) {
  return findIndex({ where, stores: more.stores ?? [] }, { env: { ...more.env } }, quick);
}

describe('what matches', () => {
  const entries = [
    entry('git-log', { description: 'reads CSV' }),
    entry('x', { tags: ['CSV'] }),
    entry('my-csv'),
    entry('csv-merge', { version: '1.9.0' }),
    entry('csv-merge', { version: '1.10.0' }),
    entry('csv-merge', { version: '1.10.0' }),
    entry('csv'),
    entry('other'),
  ];

  test('is found in name, tags and description whatever the case, the best first, once each', () => {
    expect(matching(entries, 'Csv', 10).map(({ name, version }) => `${name}@${version}`)).toEqual([
      'csv@1.0.0',
      'csv-merge@1.10.0',
      'csv-merge@1.9.0',
      'my-csv@1.0.0',
      'x@1.0.0',
      'git-log@1.0.0',
    ]);
    expect(matching(entries, 'csv', 2)).toHaveLength(2);
    expect(matching(entries, 'nothing', 2)).toEqual([]);
  });
});

describe('an index', () => {
  const read = [
    entry('csv-merge', { version: '1.0.4', description: 'Merges tables', tags: ['Data'] }),
    entry('ledger', { version: '0.2.0', runtime: 'skill' }),
  ];

  test('is read from its address, without the key of a registry', async () => {
    const server = await serve((_request, response) => void response.end(JSON.stringify(file)));
    expect(await find(`${server.url}/artifacts-index.json`, { env: { NEXUS_API_KEY: 'k' } })).toEqual(read);
    expect(server.seen.map(({ path, headers }) => [path, headers.authorization])).toEqual([
      ['/artifacts-index.json', undefined],
    ]);
  });

  test('is asked of a registry when the address is a bare origin', async () => {
    const server = await serve((_request, response) => void response.end(JSON.stringify(rows)));
    expect(await find(server.url, { env: { NEXUS_API_KEY: 'k' } })).toEqual(read);
    expect(server.seen.map(({ path, headers }) => [path, headers.authorization])).toEqual([
      ['/v1/artifacts', 'Bearer k'],
    ]);
    expect(await find(`${server.url}/`)).toEqual(read);
    expect(server.seen[1]!.headers.authorization).toBeUndefined();
  });

  test('is read from a file, and from a folder that holds one', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'artifacts-index.json'), JSON.stringify(file));
    expect(await find(folder)).toEqual(read);
    expect(await find(join(folder, 'artifacts-index.json'))).toEqual(read);
  });

  test('is what the stores hold, for local and for the folder of a store', async () => {
    const folder = temporaryFolder();
    const store = localStore('global', folder);
    await store.put(await describeArchive(await skill('ledger', '0.2.0'), 'ledger'));
    for (const platform of ['linux-x86_64', 'linux-aarch64']) {
      await store.put(await describeArchive(await native('fast', '1.0.0', platform), 'fast', { platform }));
    }
    for (const found of [await find('Local', { stores: [store] }), await find(folder)]) {
      expect(
        found.map(({ name, runtime, artifactRuntime, platforms }) => [
          name,
          runtime,
          artifactRuntime,
          [...platforms].sort(),
        ]),
      ).toEqual([
        ['fast', 'native', 'tool', ['linux-aarch64', 'linux-x86_64']],
        ['ledger', 'static', 'skill', []],
      ]);
    }
  });

  test.each([
    ['another schema', { ...file, schema_version: '2' }, 'unsupported schema_version "2" (expected "1")'],
    ['a number for its schema', { ...file, schema_version: 1 }, 'unsupported schema_version 1 (expected "1")'],
    ['no schema', { artifacts: [] }, 'unsupported schema_version none'],
    ['no list', { schema_version: '1', artifacts: {} }, 'is no list of artifacts'],
    [
      'a row of wrong types',
      { schema_version: '1', artifacts: [{ name: [], version: 1, runtime: null }] },
      'a row 0 without name',
    ],
    ['no JSON', 'x', 'the answer is not JSON'],
  ])('with %s is refused, naming its address', async (_name, body, text) => {
    const server = await serve((_request, response) => {
      response.end(typeof body === 'string' ? body : JSON.stringify(body));
    });
    const error = await failureOf(find(`${server.url}/i.json?token=secret-word`));
    expect([error.code, error.message]).toEqual(['E-IO-003', expect.stringContaining(text)]);
    expect(error.message).toContain(`${server.url}/i.json`);
    expect(error.message).not.toContain('secret-word');
  });

  test.each([
    [404, '/i.json', 'answered HTTP 404'],
    [401, '/i.json', 'answered HTTP 401'],
    [401, '', 'Check NEXUS_API_KEY and try again.'],
    [500, '/i.json', 'answered HTTP 500'],
  ])('that answers %i at %j is refused with the status', async (status, path, text) => {
    const server = await serve((_request, response) => void response.writeHead(status).end());
    const error = await failureOf(find(`${server.url}${path}`));
    expect([error.code, error.message]).toEqual(['E-IO-003', expect.stringContaining(text)]);
  });

  test('that is nowhere is refused', async () => {
    expect((await failureOf(find('/nowhere/at/all'))).code).toBe('E-IO-001');
    expect((await failureOf(find('relative/path'))).code).toBe('E-IO-003');
    expect((await failureOf(find('http://127.0.0.1:9/i.json'))).message).toContain('request failed');
    expect((await failureOf(find('/dev/zero'))).message).toContain('not a regular file');
  });
});

test('whatever a server answers, an index is read or refused with a code', async () => {
  let body = '';
  const server = await serve((_request, response) => void response.end(body));
  const json = fc.oneof(
    fc.json(),
    fc.string(),
    fc
      .record({
        schema_version: fc.constant('1'),
        artifacts: fc.array(fc.dictionary(fc.constantFrom(...words), fc.jsonValue())),
      })
      .map((value) => JSON.stringify(value)),
  );
  await fc.assert(
    fc.asyncProperty(json, async (text) => {
      body = text;
      const found = await find(`${server.url}/i.json`).catch((error: unknown) => error);
      if (!Array.isArray(found)) expect(found).toMatchObject({ code: 'E-IO-003' });
    }),
    { numRuns: 150 },
  );
});
