/**
 * Where an allowed interpreter keeps its standard library, asked of the interpreter itself (spec/containment.md 9.3). CPython and Perl
 * are known; any other needs `interpreter_runtime` or `staged_runtime` in the manifest.
 *
 * The interpreter runs outside of containment, so only one that nothing in the session can write to is asked: by a fixed program,
 * without the user's own packages, without variables, from `/`, for at most five seconds. What it prints is believed only as far as it
 * names folders that exist.
 * Does not stop: packages the host's administrator installed for that interpreter from running what they run at each of its starts.
 */
import { execFile } from 'node:child_process';
import { readdirSync, realpathSync, statSync } from 'node:fs';
import { basename, isAbsolute, join } from 'node:path';
import { closureOf, elfFacts, identityOf } from './closure.js';
import { mentionsSymbol, withFile } from './elf.js';
import type { DerivedInterpreter } from './executables.js';
import { isWithin } from './within.js';

interface Known {
  /** Of the file's own name, links followed: a program that embeds the interpreter would take the arguments for its own. */
  readonly file: RegExp;
  readonly symbol: string;
  /** Prints the import path, entries separated by zero bytes. */
  readonly args: readonly string[];
  /** Whether an archive can stand in the import path. */
  readonly archives: boolean;
}

const known: readonly Known[] = [
  {
    file: /^python\d?(\.\d+)?t?$/,
    symbol: 'Py_BytesMain',
    args: ['-I', '-B', '-c', 'import sys; sys.stdout.write("\\0".join(sys.path))'],
    archives: true,
  },
  { file: /^perl\d?(\.\d+)*$/, symbol: 'perl_parse', args: ['-T', '-e', 'print join "\\0", @INC'], archives: false },
];

const patienceMs = 5000;
const mostOutputBytes = 256 * 1024;
const mostEntries = 64;
const mostObjects = 2048;

const derivedBefore = new Map<string, { readonly identities: string; readonly value: DerivedInterpreter }>();

/** The folders and libraries of an interpreter; `undefined` for any other program, and for one that gave no usable answer. */
export async function deriveInterpreter(binary: string): Promise<DerivedInterpreter | undefined> {
  const kind = kindOf(binary);
  if (kind === undefined) return undefined;
  const before = derivedBefore.get(binary);
  if (before !== undefined && before.identities === identitiesOf(before.value)) return before.value;

  const dirs = foldersIn(await ask(binary, kind), kind.archives);
  if (dirs.length === 0) return undefined;
  const value = { binary, dirs, libraries: librariesBelow(binary, dirs) };
  derivedBefore.set(binary, { identities: identitiesOf(value), value });
  return value;
}

function kindOf(binary: string): Known | undefined {
  const kind = known.find(({ file }) => file.test(basename(binary)));
  if (kind === undefined) return undefined;
  const facts = elfFacts(binary);
  if (facts === undefined) return undefined;
  return withFile(binary, (source) => mentionsSymbol(source, facts, kind.symbol)) === true ? kind : undefined;
}

function ask(binary: string, { args }: Known): Promise<string> {
  return new Promise((resolve) => {
    const child = execFile(
      binary,
      args,
      { cwd: '/', env: { LC_ALL: 'C' }, timeout: patienceMs, killSignal: 'SIGKILL', maxBuffer: mostOutputBytes },
      (error, stdout) => resolve(error === null ? stdout : ''),
    );
    child.stdin?.end();
  });
}

/** Existing folders (and archives), links followed, in the order given, each once. Never the whole file system. */
function foldersIn(output: string, archives: boolean): string[] {
  const found = new Set<string>();
  for (const entry of output.split('\0').slice(0, mostEntries)) {
    if (!isAbsolute(entry)) continue;
    try {
      const path = realpathSync(entry);
      const stat = statSync(path);
      if (path !== '/' && (stat.isDirectory() || (archives && stat.isFile()))) found.add(path);
    } catch {
      // An import path names folders that need not exist.
    }
  }
  return [...found];
}

/** What the native modules directly inside the folders need, beyond what the interpreter itself does. */
function librariesBelow(binary: string, dirs: readonly string[]): string[] {
  const objects = dirs.flatMap((dir) => {
    try {
      return readdirSync(dir)
        .filter((name) => /\.so(\.|$)/.test(name))
        .map((name) => join(dir, name));
    } catch {
      return []; // an archive
    }
  });
  const own = closureOf([binary]);
  const covered = new Set([...own.loaders, ...own.libraries]);
  const { loaders, libraries } = closureOf(objects.slice(0, mostObjects));
  const below = (path: string) => dirs.some((dir) => isWithin(path, dir));
  return [...loaders, ...libraries].filter((path) => !covered.has(path) && !below(path)).sort();
}

function identitiesOf({ binary, dirs, libraries }: DerivedInterpreter): string {
  return [binary, ...dirs, ...libraries].map((path) => identityOf(path) ?? 'gone').join('\n');
}
