/**
 * The file system a command sees, as a plan: what is mounted where, in which order, and how each mount is narrowed afterwards. Pure;
 * mount-arguments.ts says it to bubblewrap, mount-inner.ts picks what the launch program makes by itself, and the fallback chain makes the
 * same mounts as steps of its launch program.
 *
 * Every folder a command can write to becomes a mount of its own, at every path it can be reached by, because noexec is a flag of a
 * mount: it is what stops `ld.so ./planted`, which Landlock cannot see (spec/containment.md 8).
 */
import { posix } from 'node:path';
import type { PathGrant } from './executables.js';
import { type InnerMount, splitBinds } from './mount-inner.js';
import { type Bind, type Candidate, settle } from './mount-order.js';
import type { ReadOnlyPlace } from './read-only.js';
import type { MountChange } from './steps.js';
import type { Tier } from './tier.js';
import { isWithin } from './within.js';

/** The folders of a session, absolute, links followed. */
export interface SessionFolders {
  readonly work: string;
  readonly temp: string;
  readonly home: string;
  readonly runtime: string;
  readonly records: string;
}

export type Kind = 'file' | 'directory' | 'link' | 'other';

/** What the plan asks about the host. */
export interface HostFiles {
  /** Of the path itself, links not followed; `undefined` when it is not there. */
  kind(path: string): Kind | undefined;
  link(path: string): string;
}

export interface MountsAsked {
  readonly tier: Tier;
  readonly folders: SessionFolders;
  /** Whether the temp folder is at `/tmp` too (`mapsTemp`). */
  readonly isTempMapped: boolean;
  readonly workdirExec: boolean;
  /** Whether this host can make a mount noexec. */
  readonly noexec: boolean;
  readonly grants: readonly PathGrant[];
  /** Files that may be executed. */
  readonly executable: readonly string[];
  /** Resolved programs of `shell.allow`. */
  readonly binaries: readonly string[];
  /** What the player reads before its program runs. */
  readonly player: readonly string[];
  /** Paths of the work folder that are not written, and what is above them (read-only.ts). Absent: none. */
  readonly readOnly?: readonly Pick<ReadOnlyPlace, 'path' | 'access'>[];
  readonly host: HostFiles;
}

export type Mount =
  | ({ readonly kind: 'bind' } & Bind)
  | { readonly kind: 'link'; readonly path: string; readonly target: string }
  | { readonly kind: 'device'; readonly path: string }
  | { readonly kind: 'tmpfs' | 'proc' | 'read-only'; readonly path: string }
  | { readonly kind: 'data'; readonly path: string; readonly content: 'passwd' | 'group' };

export interface MountPlan {
  /** Whether it starts from nothing, or from the host's own tree. */
  readonly composed: boolean;
  readonly mounts: readonly Mount[];
  /** Made by the launch program, in this order, once all others are there and before anything is changed or taken away. */
  readonly inner: readonly InnerMount[];
  readonly changes: readonly MountChange[];
  /** Taken away once the player runs. */
  readonly detach: readonly string[];
  /** Folders of the root that were only needed to make it. */
  readonly remove: readonly string[];
}

/** spec/containment.md 12.3. */
export const runtimeTree = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32'];
/** Folders of programs: mounts of their own, so that only what is allowed stays executable in them. */
const binaryFolders = ['/usr/bin', '/usr/sbin', '/usr/libexec', '/usr/local/bin', '/usr/local/sbin', '/bin', '/sbin'];
/** spec/containment.md 12.4, without the two that are made up. */
export const etcFiles = [
  'ld.so.cache',
  'ld.so.conf',
  'ca-certificates.conf',
  'resolv.conf',
  'hosts',
  'nsswitch.conf',
  'localtime',
  'timezone',
];
export const etcFolders = ['ld.so.conf.d', 'alternatives', 'ssl', 'pki', 'ca-certificates', 'terminfo'];
/** spec/containment.md 12.5. */
export const devices = ['null', 'zero', 'full', 'random', 'urandom', 'tty'];
const deviceLinks = {
  fd: '/proc/self/fd',
  stdin: '/proc/self/fd/0',
  stdout: '/proc/self/fd/1',
  stderr: '/proc/self/fd/2',
};

/**
 * Whether the session's temp folder is what a command finds at `/tmp`; otherwise `TMPDIR` has to name the folder itself. Not where the
 * session, or anything a command is to find, lies below `/tmp`: it would need a mount inside of a folder that commands write to, and
 * bubblewrap makes the way to a mount by name, through whatever link a command left there.
 */
export function mapsTemp(
  tier: Tier,
  hasMounts: boolean,
  folders: SessionFolders,
  shown: readonly string[] = [],
): boolean {
  return hasMounts && tier !== 'none' && belowTmp([...Object.values(folders), ...shown]) === undefined;
}

/** The first of the paths that a private `/tmp` would hide. */
export function belowTmp(paths: readonly string[]): string | undefined {
  return paths.find((path) => isWithin(path, '/tmp'));
}

/** Everything a command is to find besides the session's folders. */
export function shownPaths(asked: Pick<MountsAsked, 'grants' | 'executable' | 'player'>): readonly string[] {
  return [...asked.grants.map(({ path }) => path), ...asked.executable, ...asked.player];
}

/** The plan of a session; one per tool with a state folder of its own. */
export function planMounts(everything: MountsAsked): MountPlan {
  // Rules may name these, but they stay the private ones of the command.
  const grants = everything.grants.filter(
    ({ path }) => path !== '/' && !['/proc', '/dev'].some((own) => isWithin(path, own)),
  );
  const asked = { ...everything, grants };
  return asked.tier === 'sealed' ? planSealed(asked) : planScoped(asked);
}

function planScoped(asked: MountsAsked): MountPlan {
  const candidates: readonly Candidate[] = [
    { path: '/', access: 'rw', required: true },
    ...ownFolders(asked),
    ...asked.grants.filter(({ access }) => access === 'read-write').map(writableGrant),
    ...imagesOf(asked),
  ];
  const binds = settle(candidates, tempAtSlashTmp(asked)).filter(({ path }) => path !== '/');
  return {
    composed: false,
    mounts: [{ kind: 'proc', path: '/proc' }, ...binds.map(bound)],
    inner: [],
    changes: [...outsideChanges(binds, asked), ...changesOf(binds, asked)],
    detach: [],
    remove: [],
  };
}

function planSealed(asked: MountsAsked): MountPlan {
  const { host } = asked;
  const links = runtimeTree.filter((path) => host.kind(path) === 'link');
  const isFolder = (path: string) => host.kind(path) === 'directory';
  const ro = (path: string, rest: Partial<Candidate> = {}): Candidate => ({
    path,
    access: 'ro',
    required: false,
    ...rest,
  });
  // A folder of programs in a folder whose programs may be executed: narrowing it would take back what was granted.
  const isGranted = (path: string) =>
    asked.grants.some((grant) => grant.access === 'execute' && isWithin(path, grant.path));
  const candidates: readonly Candidate[] = [
    ...ownFolders(asked),
    ...asked.grants.map(
      (grant): Candidate =>
        grant.access === 'read-write'
          ? writableGrant(grant)
          : ro(grant.path, {
              required: grant.required,
              executable: grant.access === 'execute',
              isHeld: grant.identity !== undefined,
            }),
    ),
    ...runtimeTree.filter(isFolder).map((path) => ro(path)),
    ...binaryFolders
      .filter(isFolder)
      .filter((path) => !isGranted(path))
      .map((path) => ro(path, { noexec: 'here' })),
    ...asked.binaries
      .map((path) => posix.dirname(path))
      .filter((path) => path !== '/' && !isGranted(path))
      .map((path) => ro(path, { noexec: 'here', ifNew: true })),
    ...asked.executable.map((path) => ro(path, { executable: true })),
    // The stub runs before anything is made noexec; Node, as the player, opens more of itself later.
    ...asked.player.map((path) => ro(path, { executable: !isStub(asked) })),
    ...[...etcFiles, ...etcFolders]
      .map((name) => `/etc/${name}`)
      .filter((path) => host.kind(path) !== undefined)
      .map((path) => ro(path)),
  ].filter(({ path, required }) => required || host.kind(path) !== undefined);
  const binds = settle(candidates, tempAtSlashTmp(asked));
  const fixed: readonly Mount[] = [
    ...links.map((path): Mount => ({ kind: 'link', path, target: host.link(path) })),
    { kind: 'data', path: '/etc/passwd', content: 'passwd' },
    { kind: 'data', path: '/etc/group', content: 'group' },
    { kind: 'tmpfs', path: '/dev' },
    ...devices
      .map((name) => `/dev/${name}`)
      .filter((path) => host.kind(path) !== undefined)
      .map((path): Mount => ({ kind: 'device', path })),
    ...Object.entries(deviceLinks).map(([name, target]): Mount => ({ kind: 'link', path: `/dev/${name}`, target })),
    { kind: 'read-only', path: '/dev' },
    { kind: 'proc', path: '/proc' },
  ];
  const { outer, inner, lent } = splitBinds(binds, {
    kind: host.kind,
    // Needs the same right as what makes a mount noexec. Node, as the player, would have to find itself in between.
    isPossible: asked.noexec && isStub(asked),
    isFixed: (path) => asked.player.includes(path),
  });
  return {
    composed: true,
    mounts: [
      ...outer.filter(isAboveFixed).map(bound),
      ...fixed,
      ...outer.filter((bind) => !isAboveFixed(bind)).map(bound),
      ...(inner.length === 0 ? [{ kind: 'read-only', path: '/' } as const] : []),
    ],
    inner,
    changes: [
      ...changesOf(binds, asked),
      // Each device is a mount of the host's own node, whose mode its owner could change.
      ...(asked.noexec ? [{ path: '/dev', recursive: true, set: ['readonly'] } as const] : []),
      ...(inner.length === 0 ? [] : [{ path: '/', recursive: false, set: ['readonly'] } as const]),
    ],
    // Of a stub nothing is to be seen but a file that cannot be executed; of Node, all of it.
    detach: [
      ...lent,
      ...(isStub(asked) ? [] : binds.map(({ path }) => path).filter((path) => isPlayerOnly(path, asked))),
    ],
    remove: lent,
  };
}

function isStub({ player }: Pick<MountsAsked, 'player'>): boolean {
  return player.length <= 1;
}

function isPlayerOnly(path: string, { player, executable }: MountsAsked): boolean {
  return player.includes(path) && !executable.includes(path);
}

/** What would hide the fixed parts of the root if it came after them. */
function isAboveFixed({ path }: Bind): boolean {
  return path === '/etc';
}

function bound(bind: Bind): Mount {
  return { kind: 'bind', ...bind };
}

/** The session's own folders. What a command reads at one path and writes at another must not be executable at either. */
function ownFolders({ folders, workdirExec, readOnly = [] }: MountsAsked): readonly Candidate[] {
  const own = (path: string, access: 'ro' | 'rw', isHeld: boolean): Candidate => ({
    path,
    access,
    required: true,
    noexec: 'below',
    isHeld,
  });
  const work = own(folders.work, 'rw', true);
  const temp = own(folders.temp, 'rw', true);
  return [
    // First, because the first of a path wins: the work folder itself can be one.
    ...readOnly.map(({ path, access }): Candidate => {
      const place = own(path, access, true);
      return workdirExec ? { ...place, noexec: 'no' } : place;
    }),
    own(folders.records, 'ro', false),
    own(folders.runtime, 'ro', false),
    own(folders.home, 'rw', true),
    ...(workdirExec ? [temp, work].map((each): Candidate => ({ ...each, noexec: 'no' })) : [temp, work]),
  ];
}

/**
 * Programs the runtime wrote for the session, which lie in a folder that is noexec. Read-only mounts of their own, so that a command
 * that may execute one can put nothing in its place. Under `sealed`, every executable is a mount already.
 */
function imagesOf({ folders, executable }: MountsAsked): readonly Candidate[] {
  return executable
    .filter((path) => isWithin(path, folders.runtime))
    .map((path): Candidate => ({ path, access: 'ro', required: true, executable: true }));
}

function tempAtSlashTmp({ isTempMapped, folders, workdirExec }: MountsAsked): readonly Candidate[] {
  if (!isTempMapped) return [];
  return [
    {
      path: '/tmp',
      from: folders.temp,
      access: 'rw',
      required: true,
      noexec: workdirExec ? 'no' : 'below',
      isHeld: true,
    },
  ];
}

function writableGrant({ path, required, identity }: PathGrant): Candidate {
  return { path, access: 'rw', required, noexec: 'below', isHeld: identity !== undefined };
}

/**
 * Makes everything read-only that a command may not write to anyway: Landlock is not asked about the mode, the owner, the times and the
 * attributes of a file, and a command runs as who owns what the user owns. Not without Landlock, where nothing else is held either.
 */
function outsideChanges(binds: readonly Bind[], { noexec: canChange, tier }: MountsAsked): readonly MountChange[] {
  if (!canChange || tier !== 'full') return [];
  return [
    { path: '/', recursive: true, set: ['readonly'] },
    ...binds.flatMap(({ path, access }): MountChange[] =>
      access === 'ro'
        ? [{ path, recursive: true, set: ['readonly'] }]
        : // Of what is mounted below it, one that the host made read-only stays so; then none of them is changed back.
          [true, false].map((recursive) => ({ path, recursive, set: [], clear: ['readonly'] })),
    ),
  ];
}

/** None where mounts cannot be narrowed at all: bubblewrap makes its own nosuid and nodev, and the report says that noexec is missing. */
function changesOf(binds: readonly Bind[], { noexec: canNoexec, executable }: MountsAsked): readonly MountChange[] {
  if (!canNoexec) return [];
  const below = binds.filter(({ noexec }) => noexec === 'below');
  const narrowed = binds.flatMap(({ path, access, noexec }): MountChange[] => {
    const set: MountChange['set'] = [
      ...(noexec !== undefined && noexec !== 'no' ? (['noexec'] as const) : []),
      ...(access === 'rw' || noexec === 'below' ? (['nosuid', 'nodev'] as const) : []),
    ];
    return set.length === 0 ? [] : [{ path, recursive: noexec !== 'here', set }];
  });
  // What lies in such a folder and may be executed all the same, by its name or because the capsule may execute what it writes.
  const kept = binds
    .filter(({ path, noexec }) => noexec === 'no' || (noexec === undefined && executable.includes(path)))
    .filter(({ path }) => below.some((folder) => isWithin(path, folder.path)))
    .map(({ path }): MountChange => ({ path, recursive: false, set: [], clear: ['noexec'] }));
  return [...narrowed, ...kept];
}
