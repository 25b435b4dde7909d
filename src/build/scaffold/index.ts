/**
 * The projects `mur new` starts with: files of artifacts/templates, checked before the first is written. Nothing is ever replaced.
 * Read next: render.ts, place.ts, provider.ts.
 */
import { basename, join, resolve } from 'node:path';
import { MurError } from '../../errors/index.js';
import { artifactNameProblem, parseManifest } from '../../manifest/index.js';
import { placeFiles, placeFolder } from './place.js';
import { type ProviderSettings, providerOf } from './provider.js';
import { plainFile, render, type ScaffoldFile } from './render.js';

export type { ProviderSettings } from './provider.js';

export const projectKinds = ['agent', 'tool', 'hook', 'driver', 'skill'] as const;
export type ProjectKind = (typeof projectKinds)[number];

export interface Scaffolded {
  readonly name: string;
  /** Where the files are: a new folder, or the one that was given. */
  readonly folder: string;
  /** Paths below it, sorted. */
  readonly files: readonly string[];
}

/**
 * A project of `kind`: in the new folder `<inside>/<name>`, or, without a name, in `inside` itself, named after it. Throws `E-NEW-002` to
 * `E-NEW-004`.
 */
export function newProject(
  kind: ProjectKind,
  name: string | undefined,
  inside: string,
  settings: ProviderSettings,
): Scaffolded {
  const called = name ?? nameFrom(resolve(inside), kind);
  checkName(called);
  const files = projectFiles(kind, called, settings);
  if (name === undefined) placeFiles(inside, files);
  else placeFolder(join(inside, called), files);
  return scaffolded(called, name === undefined ? inside : join(inside, called), files);
}

/** The skeleton of a roster: two capsules that call one another (spec/cli.md section 4.1). */
export function newRoster(name: string, inside: string, settings: ProviderSettings): Scaffolded {
  for (const each of [name, `${name}-lead`, `${name}-worker`]) checkName(each);
  const folder = join(inside, name);
  const provider = providerOf(settings);
  const files = render('roster', { name, ...provider });
  for (const file of files) if (file.path.endsWith('murmur.yaml')) check(file);
  placeFolder(folder, files);
  return scaffolded(name, folder, files);
}

function projectFiles(kind: ProjectKind, name: string, settings: ProviderSettings): ScaffoldFile[] {
  const provider = kind === 'agent' ? providerOf(settings) : undefined;
  const files = render(kind, { name, ...provider });
  for (const file of files) if (kind === 'agent' || file.path === 'try/murmur.yaml') check(file);
  files.push(plainFile('.gitignore', 'templates/gitignore'));
  if (kind === 'tool' || kind === 'driver' || kind === 'hook') {
    files.push(plainFile('mur.d.ts', 'author/types/mur.d.ts'), plainFile('tsconfig.json', 'templates/tsconfig.json'));
  }
  return files.sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** A capsule manifest that `mur run` would take, as far as that can be told from its text. */
function check({ path, text }: ScaffoldFile): void {
  if (path.endsWith('murmur.yaml')) parseManifest(text, { path });
}

function checkName(name: string): void {
  const problem = name.includes('/') ? 'it must not contain "/"' : artifactNameProblem(name);
  if (problem !== undefined) throw new MurError('E-NEW-002', `'${name}' cannot be a name: ${problem}`);
}

/** A name made of the folder's; `my-<kind>` when nothing of it can be used. */
function nameFrom(folder: string, kind: ProjectKind): string {
  const name = basename(folder)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 60)
    .replace(/^-+|-+$/g, '');
  return name === '' ? `my-${kind}` : name;
}

function scaffolded(name: string, folder: string, files: readonly ScaffoldFile[]): Scaffolded {
  return { name, folder, files: files.map(({ path }) => path) };
}
