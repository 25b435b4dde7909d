/**
 * The Landlock rules of a session, from its folders, its executables and its grants (spec/containment.md 6, 7, 12). A command gets
 * nothing that is not named here.
 */
import type { PathGrant } from './executables.js';
import { type LandlockRule, right, writable } from './landlock.js';
import { etcFiles, etcFolders, runtimeTree, type SessionFolders } from './mounts.js';

export interface RulesAsked {
  readonly isSealed: boolean;
  readonly folders: SessionFolders;
  readonly mapsTemp: boolean;
  readonly workdirExec: boolean;
  /** Files that may be executed. */
  readonly executable: readonly string[];
  readonly grants: readonly PathGrant[];
  /** The descriptor, in the child, of a folder that is held: a rule is then for that very folder, whatever its path leads to later. */
  readonly fdOf?: (path: string) => number | undefined;
}

const read = right.readFile | right.readDir;
const execute = right.execute | right.readFile;

export function rulesOf(asked: RulesAsked): readonly LandlockRule[] {
  const { folders, workdirExec, mapsTemp, isSealed } = asked;
  const own = writable | (workdirExec ? right.execute : 0);
  const held = (path: string) => {
    const fd = asked.fdOf?.(path);
    return fd === undefined ? {} : { fd };
  };
  return [
    { path: folders.work, rights: own, required: true, ...held(folders.work) },
    { path: mapsTemp ? '/tmp' : folders.temp, rights: own, required: true, ...held(folders.temp) },
    { path: folders.home, rights: writable, required: true, ...held(folders.home) },
    { path: folders.runtime, rights: read, required: true },
    { path: folders.records, rights: read, required: true },
    ...asked.executable.map((path) => ({ path, rights: execute, required: false })),
    ...asked.grants.map(({ path, access, list, required, identity }) => {
      const rule = { path, rights: granted(access, list), required };
      return identity === undefined ? rule : { ...rule, ...held(path) };
    }),
    ...(isSealed ? sealedRules : scopedDevices),
  ];
}

function granted(access: PathGrant['access'], list: boolean): number {
  if (access === 'read-write') return writable;
  return (access === 'execute' ? execute : right.readFile) | (list ? right.readDir : 0);
}

function device(name: string, isWritable: boolean): LandlockRule {
  return { path: `/dev/${name}`, rights: right.readFile | (isWritable ? right.writeFile : 0), required: false };
}

const scopedDevices: readonly LandlockRule[] = [device('null', true), device('zero', false), device('urandom', false)];

const sealedRules: readonly LandlockRule[] = [
  ...['null', 'zero', 'full', 'tty'].map((name) => device(name, true)),
  ...['random', 'urandom'].map((name) => device(name, false)),
  ...runtimeTree.map((path) => ({ path, rights: read, required: false })),
  ...[...etcFiles, ...etcFolders].map((name) => ({ path: `/etc/${name}`, rights: read, required: false })),
  ...['/etc/passwd', '/etc/group'].map((path) => ({ path, rights: right.readFile, required: true })),
];
