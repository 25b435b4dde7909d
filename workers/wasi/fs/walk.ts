/**
 * Path resolution inside one directory. Everything a guest names goes through `locate`; the result never lies outside the base.
 *
 * One component at a time, links spliced in by hand: an absolute target or a `..` past the base is `not-permitted`, also when the
 * rest of the path would lead back in. The last component is left to the caller, who acts on it without following.
 * Does not stop: a hard link inside the folder to a file outside it, made by somebody with access to both.
 */
import { readlinkSync } from 'node:fs';
import { errnoOf, fail } from './errors.js';
import { type Guard, guardBelow, protectedGuard } from './guard.js';
import type { Dir, Tree } from './tree.js';

const mostLinks = 40;
const mostDepth = 256;
const mostPathBytes = 4096;

/** Where a path leads: `leaf` in `dir`, or `dir` itself when `leaf` is `.`. Release it after use. */
export interface Place {
  readonly dir: Dir;
  readonly leaf: string;
  /** The path ended in `/`, `.` or `..`: only a directory will do. */
  readonly directoryOnly: boolean;
  /** For file calls that do not follow the last component. */
  readonly path: string;
  /** What of it may not be written; `undefined`: nothing of it is protected. */
  readonly guard: Guard | undefined;
  release(): void;
}

export function locate(tree: Tree, base: Dir, path: string, followLeaf: boolean): Place {
  const todo: string[] = [];
  const entered: Dir[] = [];
  /** One per entered directory. */
  const guards: (Guard | undefined)[] = [];
  let directoryOnly = splice(todo, path);
  let links = 0;
  /** A protected link was followed: what it leads to is as protected as the link. */
  let isBehindProtected = false;

  const guardHere = (): Guard | undefined => (entered.length === 0 ? base.guard : guards.at(-1));
  const place = (leaf: string): Place => {
    const dir = entered.at(-1) ?? base;
    const guard = isBehindProtected ? protectedGuard : leaf === '.' ? guardHere() : guardBelow(guardHere(), leaf);
    return { dir, leaf, directoryOnly, path: `${dir.path}/${leaf}`, guard, release: () => releaseAll(entered) };
  };
  const follow = (name: string, target: string): void => {
    if (guardBelow(guardHere(), name)?.isProtected === true) isBehindProtected = true;
    links += 1;
    if (links > mostLinks) fail('loop');
    if (target.startsWith('/')) fail('not-permitted');
    const last = todo.length === 0;
    const targetIsDirectory = splice(todo, target);
    if (last && targetIsDirectory) directoryOnly = true;
  };

  try {
    for (let name = todo.pop(); name !== undefined; name = todo.pop()) {
      if (name === '..') {
        const left = entered.pop() ?? fail('not-permitted');
        guards.pop();
        left.close();
        continue;
      }
      const here = entered.at(-1) ?? base;
      if (todo.length === 0) {
        const target = followLeaf ? linkTarget(`${here.path}/${name}`) : undefined;
        if (target === undefined) return place(name);
        follow(name, target);
        continue;
      }
      const next = enter(tree, here, name);
      if (typeof next === 'string') {
        follow(name, next);
      } else {
        guards.push(guardBelow(guardHere(), name));
        entered.push(next);
        if (entered.length > mostDepth) fail('name-too-long');
      }
    }
    return place('.');
  } catch (thrown) {
    releaseAll(entered);
    throw thrown;
  }
}

/** Pushes the components of `path` so that `pop` yields them in order. True when it can only name a directory. */
function splice(todo: string[], path: string): boolean {
  if (path === '') fail('no-entry');
  if (path.includes('\0')) fail('invalid');
  if (path.startsWith('/')) fail('not-permitted');
  if (Buffer.byteLength(path) > mostPathBytes) fail('name-too-long');
  const names = path.split('/');
  const last = names.at(-1)!;
  for (const name of names.reverse()) {
    if (name !== '' && name !== '.') todo.push(name);
  }
  return last === '' || last === '.' || last === '..';
}

/** The directory `name`, or the target text when it is a link. */
function enter(tree: Tree, parent: Dir, name: string): Dir | string {
  try {
    return tree.enter(parent, name);
  } catch (thrown) {
    const target = linkTarget(`${parent.path}/${name}`);
    if (target !== undefined) return target;
    throw thrown;
  }
}

/** The target text of a link, `undefined` for anything else and for nothing. */
function linkTarget(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch (thrown) {
    const errno = errnoOf(thrown);
    if (errno === 'EINVAL' || errno === 'ENOENT' || errno === 'UNKNOWN') return undefined;
    throw thrown;
  }
}

function releaseAll(dirs: Dir[]): void {
  for (const dir of dirs.splice(0)) dir.close();
}
