import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, resolve } from 'node:path';
import { expect, test } from 'vitest';

const root = resolve(import.meta.dirname, '..');

/** Every import of one project file by another, as paths below the root; imports of types count too. */
const imports = ['src', 'machines', 'workers'].flatMap((top) =>
  readdirSync(join(root, top), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(top, name))
    .flatMap((from) =>
      [
        ...readFileSync(join(root, from), 'utf8').matchAll(/(?:^|\n)(?:import|export)\b[^;]*?\bfrom\s+'(\.[^']+)'/g),
      ].map(([, to]) => ({ from, to: normalize(join(dirname(from), to!)).replace(/\.js$/, '.ts') })),
    ),
);

/** What wires a session from the parts above and below the supervisor. */
const wiring = ['launch', 'ending', 'result'].map((name) => `src/supervise/${name}.ts`);

/** The folder a file belongs to: `src/<name>`, `machines` or `workers`. What wires a session stands for itself. */
function folderOf(file: string): string {
  const [top, name, ...rest] = file.split('/');
  if (wiring.includes(file)) return 'the launch';
  return top === 'src' ? (rest.length === 0 ? file : `src/${name}`) : top!;
}

test('folders import down only: no folder reaches itself through another', () => {
  const below = new Map<string, Set<string>>();
  for (const { from, to } of imports) {
    const [upper, lower] = [folderOf(from), folderOf(to)];
    if (upper !== lower) below.set(upper, (below.get(upper) ?? new Set()).add(lower));
  }
  const circles: string[] = [];
  const walk = (folder: string, path: readonly string[]): void => {
    if (path.includes(folder)) circles.push([...path.slice(path.indexOf(folder)), folder].join(' -> '));
    else if (!done.has(folder)) for (const next of below.get(folder) ?? []) walk(next, [...path, folder]);
    done.add(folder);
  };
  const done = new Set<string>();
  for (const folder of below.keys()) walk(folder, []);
  expect(circles).toEqual([]);
});

test('nothing below the command line imports it, and the charts import nothing of the runtime', () => {
  const wrong = imports.filter(({ from, to }) => {
    if (folderOf(to) === 'src/cli') return folderOf(from) !== 'src/cli';
    return folderOf(from) === 'machines' && folderOf(to) !== 'machines';
  });
  expect(wrong).toEqual([]);
});
