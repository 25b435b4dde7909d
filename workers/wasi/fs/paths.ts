/**
 * The path operations of a directory descriptor: each finds its place with the walk and acts on the last component without
 * following it. Rights are the caller's to check first. Read next: walk.ts.
 */
import {
  type BigIntStats,
  linkSync,
  lstatSync,
  lutimesSync,
  mkdirSync,
  readlinkSync,
  renameSync,
  rmdirSync,
  symlinkSync,
  unlinkSync,
} from 'node:fs';
import { fail } from './errors.js';
import { refuseOnTheWay, refuseProtected } from './guard.js';
import { type NewTimestamp, secondsOf } from './stat.js';
import type { Dir, Tree } from './tree.js';
import { locate, type Place } from './walk.js';

function at<T>(tree: Tree, dir: Dir, path: string, follow: boolean, act: (place: Place) => T): T {
  const place = locate(tree, dir, path, follow);
  try {
    return act(place);
  } finally {
    place.release();
  }
}

/** Runs `act` where the path's own entry is meant: not the base, and a directory when the path ends in a slash. */
function atEntry<T>(tree: Tree, dir: Dir, path: string, act: (place: Place) => T): T {
  return at(tree, dir, path, false, (place) => {
    if (place.leaf === '.') fail('invalid');
    if (place.directoryOnly && !lstatSync(place.path).isDirectory()) fail('not-directory');
    return act(place);
  });
}

export function statUnder(tree: Tree, dir: Dir, path: string, follow: boolean): BigIntStats {
  return at(tree, dir, path, follow || path.endsWith('/'), (place) => {
    const stat = lstatSync(place.path, { bigint: true });
    if (place.directoryOnly && !stat.isDirectory()) fail('not-directory');
    return stat;
  });
}

export function setTimesUnder(
  tree: Tree,
  dir: Dir,
  path: string,
  follow: boolean,
  access: NewTimestamp,
  modification: NewTimestamp,
): void {
  at(tree, dir, path, follow || path.endsWith('/'), (place) => {
    refuseProtected(place);
    const stat = lstatSync(place.path, { bigint: true });
    lutimesSync(place.path, secondsOf(access, stat.atimeNs), secondsOf(modification, stat.mtimeNs));
  });
}

export function createDirectoryUnder(tree: Tree, dir: Dir, path: string): void {
  at(tree, dir, path, false, (place) => {
    if (place.leaf === '.') fail('exist');
    // What is there already is told of as anywhere else: programs make their folders without looking first.
    if (place.guard?.isProtected === true && lstatSync(place.path, { throwIfNoEntry: false })) fail('exist');
    refuseProtected(place);
    mkdirSync(place.path, 0o777);
  });
}

export function removeDirectoryUnder(tree: Tree, dir: Dir, path: string): void {
  atEntry(tree, dir, path, (place) => {
    refuseProtected(place);
    rmdirSync(place.path);
  });
}

export function unlinkUnder(tree: Tree, dir: Dir, path: string): void {
  atEntry(tree, dir, path, (place) => {
    if (place.directoryOnly) fail('is-directory');
    refuseOnTheWay(place);
    unlinkSync(place.path);
  });
}

export function renameUnder(tree: Tree, from: Dir, oldPath: string, to: Dir, newPath: string): void {
  atEntry(tree, from, oldPath, (source) =>
    at(tree, to, newPath, false, (target) => {
      if (target.leaf === '.') fail('invalid');
      refuseOnTheWay(source);
      refuseOnTheWay(target);
      if (target.directoryOnly && !lstatSync(source.path).isDirectory()) fail('not-directory');
      renameSync(source.path, target.path);
    }),
  );
}

export function linkUnder(tree: Tree, from: Dir, oldPath: string, to: Dir, newPath: string): void {
  atEntry(tree, from, oldPath, (source) =>
    at(tree, to, newPath, false, (target) => {
      // A second name would be one to write it by.
      refuseProtected(source);
      refuseProtected(target);
      if (tree.hardLinkFollows && lstatSync(source.path).isSymbolicLink()) fail('not-permitted');
      if (target.leaf === '.') fail('exist');
      if (target.directoryOnly) fail('no-entry');
      linkSync(source.path, target.path);
    }),
  );
}

/** A link may dangle and may point past the base: no walk here follows it there. Host code must not follow it either. */
export function symlinkUnder(tree: Tree, dir: Dir, target: string, path: string): void {
  if (target === '') fail('no-entry');
  if (target.includes('\0')) fail('invalid');
  if (target.startsWith('/')) fail('not-permitted');
  at(tree, dir, path, false, (place) => {
    if (place.leaf === '.') fail('exist');
    if (place.directoryOnly) fail('no-entry');
    refuseOnTheWay(place);
    symlinkSync(target, place.path);
  });
}

/** The target of a link; an absolute one is a path of this machine and is `not-permitted`. */
export function readlinkUnder(tree: Tree, dir: Dir, path: string): string {
  return at(tree, dir, path, path.endsWith('/'), (place) => {
    const target = readlinkSync(place.path);
    return target.startsWith('/') ? fail('not-permitted') : target;
  });
}
