/**
 * What a program needs besides its own file to be of use, for the box of a command without a manifest: names of other programs, folders
 * to read, folders of helpers to execute. Guesses from how programs are commonly laid out, and from the program's own first line; a
 * manifest names all of it itself. What is not on this host is left out. Grants nothing by itself: what comes of it becomes a manifest
 * (manifest.ts), which the same code reads as any other.
 */
import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { findInPath } from '../containment/path-search.js';
import { readShebang } from '../containment/shebang.js';
import { isWithin } from '../containment/within.js';

export interface Kit {
  /** Names for `shell.allow`, the program's own first. */
  readonly allow: readonly string[];
  /** Folders that are read and listed. */
  readonly read: readonly string[];
  /** Folders of helpers that are executed, too. */
  readonly execute: readonly string[];
}

/** What a script of a shell is made of. */
const everyday = [
  ...['bash', 'sh', 'env', 'ls', 'cat', 'cp', 'mv', 'rm', 'mkdir', 'rmdir', 'ln', 'touch', 'chmod', 'mktemp', 'test'],
  ...['echo', 'printf', 'true', 'false', 'sleep', 'date', 'seq', 'expr', 'id', 'uname', 'pwd', 'timeout', 'nproc'],
  ...['head', 'tail', 'cut', 'sort', 'uniq', 'wc', 'tr', 'tee', 'grep', 'sed', 'awk', 'find', 'xargs', 'diff', 'cmp'],
  ...['basename', 'dirname', 'realpath', 'readlink', 'stat', 'du', 'od', 'base64', 'sha256sum', 'tar', 'gzip', 'dd'],
];

const libraries = ['/usr/lib/x86_64-linux-gnu', '/usr/lib/aarch64-linux-gnu'];
const compiler: Kit = {
  allow: ['as', 'ld'],
  read: ['/usr/include', '/usr/local/include', ...libraries],
  execute: ['/usr/lib/gcc', '/usr/libexec/gcc'],
};
const build: Kit = { ...compiler, allow: [...everyday, 'make', 'cc', 'gcc', 'c++', 'g++', 'ar', ...compiler.allow] };
const scripts: Kit = { allow: [...everyday, 'node'], read: ['/usr/share/nodejs'], execute: [] };
const shell: Kit = { allow: everyday, read: [], execute: [] };

const known: Readonly<Record<string, Kit>> = {
  ...Object.fromEntries(['bash', 'sh', 'dash', 'zsh', 'ksh', 'fish', 'find', 'xargs'].map((name) => [name, shell])),
  ...Object.fromEntries(['npm', 'npx', 'pnpm', 'yarn'].map((name) => [name, scripts])),
  ...Object.fromEntries(['cc', 'gcc', 'c++', 'g++'].map((name) => [name, compiler])),
  ...Object.fromEntries(['make', 'cmake', 'cargo'].map((name) => [name, build])),
  git: {
    allow: [...everyday, 'gettext', 'gettext.sh', 'envsubst'],
    read: ['/usr/share/git-core'],
    execute: ['/usr/lib/git-core', '/usr/libexec/git-core'],
  },
};

/** Public data that any program may want: locales, terminals, time zones. */
const common = ['/usr/lib/locale', '/usr/share/terminfo', '/lib/terminfo', '/etc/terminfo', '/usr/share/zoneinfo'];

/** The kit of the program that `name` stands for in `path` (a PATH). `home`: of the user. */
export function kitOf(name: string, path: string, home: string): Kit {
  const { allow = [], read = [], execute = [] } = Object.hasOwn(known, name) ? known[name]! : {};
  const script = ofScript(name, path, home);
  const isThere = (other: string): boolean => findInPath(other, path).length > 0;
  return {
    allow: [...new Set([name, ...[...script.allow, ...allow].filter(isThere)])],
    read: [...new Set([...script.read, ...read, ...common])].filter((folder) => existsSync(folder)),
    execute: execute.filter((folder) => existsSync(folder)),
  };
}

const reserved: Readonly<Record<string, number>> = { node: 128 * 1024 ** 3 };

/** Bytes of address space that one of these programs reserves and does not use; `undefined`: the default will do. */
export function addressBytesOf(programs: readonly string[]): number | undefined {
  const most = Math.max(...programs.map((name) => (Object.hasOwn(reserved, name) ? reserved[name]! : 0)), 0);
  return most === 0 ? undefined : most;
}

/** The interpreters of a script, and the package it belongs to. */
function ofScript(name: string, path: string, home: string): Pick<Kit, 'allow' | 'read'> {
  const [found] = findInPath(name, path);
  const shebang = found === undefined ? undefined : readShebang(found.path);
  if (found === undefined || shebang === undefined) return { allow: [], read: [] };
  const folder = packageOf(found.path, home);
  return {
    allow: [basename(shebang.program), shebang.name],
    read: folder === undefined ? [] : [folder],
  };
}

/**
 * The nearest folder above that says of itself that it is a package. Never one that holds the home of the user: a `package.json` is
 * soon left there by mistake, and everything the user keeps would be lent with it.
 */
function packageOf(file: string, home: string): string | undefined {
  const own = existsSync(home) ? realpathSync(home) : home;
  for (let folder = dirname(file); !isWithin(own, folder); folder = dirname(folder)) {
    if (existsSync(join(folder, 'package.json'))) return folder;
  }
  return undefined;
}
