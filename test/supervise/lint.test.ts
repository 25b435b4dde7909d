import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

/** Every TypeScript file below the folders, with its text stripped of comments. */
function sources(...folders: string[]): { path: string; code: string }[] {
  return folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => ({ path: join(folder, name), code: withoutComments(readFileSync(join(folder, name), 'utf8')) })),
  );
}

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|[^:'"`])\/\/.*$/gm, '$1');
}

it('no code watches an actor without an error handler: observe() is the way', () => {
  const allowed = ['src/supervise/observe.ts', 'src/supervise/supervisor/child.ts'];
  const offenders = sources('src', 'workers', 'machines')
    .filter(({ path, code }) => /\.subscribe\s*\(/.test(code) && !allowed.includes(path))
    .map(({ path }) => path);
  expect(offenders).toEqual([]);
});

it('the two files that do subscribe always pass an error handler', () => {
  for (const path of ['src/supervise/observe.ts', 'src/supervise/supervisor/child.ts']) {
    const calls = withoutComments(readFileSync(path, 'utf8')).match(/\.subscribe\s*\(\{\s*error\b/g) ?? [];
    const all = readFileSync(path, 'utf8').match(/\.subscribe\s*\(/g) ?? [];
    expect(calls.length).toBe(all.length);
  }
});

it('no code stores a session as a snapshot: timers are not in it, and children come back wrong (reports rows 22 to 25)', () => {
  const callers = sources('src', 'workers', 'machines')
    .filter(({ code }) => /\.getPersistedSnapshot\s*\(/.test(code))
    .map(({ path }) => path);
  expect(callers).toEqual([]);
});

it('a machine that spawns children also forgets them, since they stay in its snapshot after their end (reports row 23)', () => {
  const spawning = sources('machines').filter(({ code }) => /\bspawn(?:Child)?\s*\(/.test(code));
  const keeping = spawning.filter(({ code }) => !/\bstopChild\s*\(/.test(code));
  expect(keeping.map(({ path }) => path)).toEqual([]);
  // How many of them there are depends on the session, so the rest is shown by what it does: test/machines/session.
  expect(spawning.map(({ path }) => path)).toEqual(['machines/session/machine.ts']);
});
