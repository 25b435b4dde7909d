import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { type ArtifactCall, openArtifacts } from './host.js';

const host = openArtifacts();
afterAll(() => host[Symbol.asyncDispose]());
const at = (path: string) => join(host.folder, path);

async function files(input: unknown, options?: ArtifactCall) {
  const outcome = await host.call('mur-tool-files', input, options);
  if (outcome.status !== 'returned' || outcome.result === undefined) throw new Error(JSON.stringify(outcome));
  return outcome.result;
}

test('lists, writes, reads, edits and searches, and says what each call touched', async () => {
  expect(await files({ action: 'list' })).toMatchObject({ status: 'passed', summary: 'the work folder is empty' });
  expect(await files({ action: 'write', path: 'notes/plan.md', content: 'öne\ntwo 😀\n' })).toMatchObject({
    status: 'passed',
    summary: 'created notes/plan.md (14 bytes)',
    metadata: [
      ['state_effect', 'mutate'],
      ['resource_id', 'notes/plan.md'],
    ],
  });
  expect(readFileSync(at('notes/plan.md'), 'utf8')).toBe('öne\ntwo 😀\n');
  expect(await files({ action: 'list', depth: 2 })).toMatchObject({ data: 'notes/\nnotes/plan.md (14 bytes)' });
  expect(await files({ action: 'read', path: './notes/plan.md' })).toMatchObject({
    data: 'öne\ntwo 😀\n',
    truncated: false,
    metadata: [
      ['state_effect', 'read'],
      ['resource_id', 'notes/plan.md'],
    ],
  });
  expect(await files({ action: 'edit', path: 'notes/plan.md', old_text: 'two 😀', new_text: '2' })).toMatchObject({
    summary: 'edited notes/plan.md at line 2',
  });
  expect(await files({ action: 'search', pattern: '^2$', regex: true })).toMatchObject({ data: 'notes/plan.md:2: 2' });
  expect(readFileSync(at('notes/plan.md'), 'utf8')).toBe('öne\n2\n');
});

test('replacing a file keeps its permissions and leaves nothing of a longer text', async () => {
  writeFileSync(at('run.sh'), 'echo a long old text\n');
  chmodSync(at('run.sh'), 0o755);
  await files({ action: 'write', path: 'run.sh', content: 'x' });
  expect(readFileSync(at('run.sh'), 'utf8')).toBe('x');
  expect(statSync(at('run.sh')).mode & 0o777).toBe(0o755);
});

test('reads a large file in windows that join to the whole', async () => {
  const text = Array.from({ length: 9000 }, (_, line) => `line ${line} é😀`).join('\n');
  writeFileSync(at('large.txt'), text);
  const first = await files({ action: 'read', path: 'large.txt', limit: 5000 });
  expect(first.truncated).toBe(true);
  const next = Number(/read on with offset (\d+)\]$/.exec(first.data ?? '')?.[1]);
  const shown = (first.data ?? '').split('\n').slice(0, -1);
  expect(shown).toEqual(text.split('\n').slice(0, next - 1));
  expect(Buffer.byteLength(shown.join('\n'))).toBeLessThanOrEqual(64 * 1024);
});

test('lists at most 500 entries and says how many are left', async () => {
  mkdirSync(at('many'));
  for (let n = 0; n < 510; n++) writeFileSync(at(`many/${String(n).padStart(3, '0')}`), '');
  const { data, truncated } = await files({ action: 'list', path: 'many' });
  expect(truncated).toBe(true);
  expect(data?.split('\n')).toHaveLength(501);
  expect(data).toContain('[10 more entries not shown');
});

test.each([
  [{ action: 'read', path: 'missing.txt' }, /missing\.txt does not exist; the work folder (holds|is empty)/],
  [{ action: 'read', path: 'no/such/file' }, /neither does the folder no\/such/],
  [{ action: 'read', path: '../secret' }, /leads outside the work folder/],
  [{ action: 'read', path: '/etc/passwd' }, /absolute path/],
  [{ action: 'read', path: 'out/passwd' }, /leads outside the work folder/],
  [{ action: 'write', path: 'out/new', content: 'x' }, /leads outside the work folder/],
  [{ action: 'search', path: 'out', pattern: 'root' }, /leads outside the work folder/],
  [{ action: 'read', path: 'pipe' }, /not a regular file/],
  [{ action: 'write', path: 'pipe', content: 'x' }, /not a regular file/],
  [{ action: 'read', path: 'binary' }, /not UTF-8 text/],
  [{ action: 'edit', path: 'binary', old_text: 'a', new_text: 'b' }, /not UTF-8 text/],
  [{ action: 'read', path: 'sub' }, /is a folder; list it/],
  [{ action: 'write', path: 'sub', content: 'x' }, /is a folder; name a file in it/],
  [{ action: 'write', path: 'plain/x', content: 'x' }, /has a file where a folder is needed/],
  [{ action: 'list', path: 'plain' }, /is a file; use action read/],
  [{ action: 'write', path: 'x', content: '\ud83d' }, /half of a surrogate pair/],
  [{ action: 'delete', path: 'x' }, /action must be one of list, read, write, edit, search, got "delete"/],
  [{ action: 'read' }, /needs path as a text, got nothing/],
  [{ action: 'read', path: 'plain', offset: 0 }, /offset must be a whole number of at least 1, got 0/],
  ['{"action":"re', /must be a JSON object with an action, got no JSON/],
  ['[]', /must be a JSON object with an action, got a list/],
])('fails with a way out: %j', async (input, message) => {
  if (!existsSync(at('out'))) {
    symlinkSync('/etc', at('out'));
    execFileSync('mkfifo', [at('pipe')]);
    writeFileSync(at('binary'), Buffer.from([0x61, 0xff, 0x62]));
    writeFileSync(at('plain'), 'text');
    mkdirSync(at('sub'));
  }
  const result = await files(input);
  expect(result).toMatchObject({ status: 'failed', summary: expect.stringMatching(message) });
  expect(result.data).toBeUndefined();
});

test('a read-only folder and a missing folder are named as such', async () => {
  expect((await files({ action: 'write', path: 'ro.txt', content: 'x' }, { readOnly: true })).summary).toContain(
    'read only',
  );
  expect((await files({ action: 'list' }, { bare: true })).summary).toContain('grants the tool no work folder');
});

test('a search passes over links, binaries and bookkeeping, and says so', async () => {
  mkdirSync(at('.git'), { recursive: true });
  writeFileSync(at('.git/needle'), 'needle');
  writeFileSync(at('haystack'), 'needle');
  const { data } = await files({ action: 'search', pattern: 'needle' });
  expect(data).toContain('haystack:1: needle');
  expect(data).not.toContain('.git/needle');
  expect(data).toContain('[skipped .git/]');
  expect(data).toContain('[skipped 1 files that are not text');
});

test.runIf(process.platform === 'linux')('a name that is not UTF-8 hides nothing else', async () => {
  mkdirSync(at('names'));
  writeFileSync(at('names/plain'), 'needle');
  writeFileSync(Buffer.concat([Buffer.from(at('names/')), Buffer.from([0xff, 0xfe])]), 'needle');
  const note = 'left out 1 entries whose names are not UTF-8';
  expect((await files({ action: 'list', path: 'names' })).data).toBe(`names/plain (6 bytes)\n[${note}]`);
  expect((await files({ action: 'search', path: 'names', pattern: 'needle' })).data).toBe(
    `names/plain:1: needle\n[${note} in names]`,
  );
  expect((await files({ action: 'read', path: 'names/other' })).summary).toContain('names holds plain');
});
