/**
 * Folders of this machine lent to contained capsules, checked against the file system and then against a session
 * (spec/containment.md 11, steps 2 and 3). What an entry may say is src/home/config-host-paths.ts.
 * Does not stop: an operator from lending a folder with credentials. That is allowed, reported and warned of.
 */
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { MurError } from '../errors/index.js';
import type { HostPath as DeclaredHostPath } from '../home/config-host-paths.js';
import type { Executables, FolderIdentity, PathGrant } from './executables.js';
import { canonical } from './host-files.js';
import { isWithin } from './within.js';

export interface ResolvedHostPath {
  /** As written, for messages. */
  readonly declared: string;
  /** Links followed. */
  readonly path: string;
  readonly access: 'read' | 'read-write';
  /** Known credential places the folder is, lies in or holds, as `~/<place>`. */
  readonly credentialLocations: readonly string[];
  /** Of the folder that was looked at. */
  readonly identity: FolderIdentity;
}

export interface HostPathContext {
  /** HOME mur runs with. */
  readonly userHome: string;
  readonly murmurHome: string;
  /** Absent before a session has one. */
  readonly workFolder?: string;
}

const systemTrees = ['/proc', '/sys', '/dev'];
const systemFolders = ['/etc', '/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/boot', '/run', '/var'];
const homeFolders = ['/home', '/root'];
const credentialPlaces = [
  ...['.ssh', '.aws', '.gnupg', '.kube', '.docker', '.netrc', '.git-credentials', '.npmrc', '.pypirc'],
  ...['.config/gh', '.config/gcloud', '.azure', '.cargo/credentials.toml', '.murmur'],
];

/** Step 2: what the entries lead to on this host. Throws `E-CAP-901` for the first that cannot be lent. */
export function resolveHostPaths(
  entries: readonly DeclaredHostPath[],
  context: HostPathContext,
): readonly ResolvedHostPath[] {
  const places = credentialPlaces.map((place) => ({ place: `~/${place}`, path: join(context.userHome, place) }));
  const credentials = places
    .filter(({ path }) => existsSync(path))
    .map(({ place, path }) => ({ place, path: canonical(path) ?? path }));
  const found: ResolvedHostPath[] = [];
  for (const [index, entry] of entries.entries()) {
    const path = canonical(entry.path);
    const why = path === undefined ? 'there is no such folder' : reasonAgainst(path, entry, context, found);
    if (path === undefined || why !== undefined) throw refusal(index, entry.declared, why ?? '');
    const touched = credentials.filter((each) => overlap(path, each.path)).map(({ place }) => place);
    const { dev, ino } = statSync(path, { bigint: true });
    found.push({
      declared: entry.declared,
      path,
      access: entry.access,
      credentialLocations: touched,
      identity: { dev, ino },
    });
  }
  return found;
}

/**
 * Step 3: refuses a writable folder over anything the session runs, pinned trees, loaders and libraries among it: through it a command
 * could put another program in the place of an allowed one. Throws `E-CAP-901`.
 */
export function checkHostPaths(
  paths: readonly ResolvedHostPath[],
  session: {
    readonly executables: Pick<Executables, 'executable' | 'readable'>;
    /** Set when programs in the work folder may run. */
    readonly executableWorkFolder?: string;
  },
): void {
  const { executables, executableWorkFolder } = session;
  const code = [
    ...executables.executable,
    ...executables.readable.map(({ path }) => canonical(path) ?? path),
    ...(executableWorkFolder === undefined ? [] : [executableWorkFolder]),
  ];
  for (const [index, { path, access, declared }] of paths.entries()) {
    const hit = access === 'read-write' ? code.find((each) => overlap(path, each)) : undefined;
    if (hit !== undefined) {
      throw refusal(index, declared, `read-write reaches ${hit}, which commands run`, 'lend it with access: read');
    }
  }
}

/** Never executable. Under `sealed` each is a bind that must be there. What was looked at is lent, and nothing that takes its place. */
export function hostPathGrants(paths: readonly ResolvedHostPath[]): readonly PathGrant[] {
  return paths.map(({ path, access, identity }) => ({ path, access, list: true, required: true, identity }));
}

function reasonAgainst(
  path: string,
  { access }: DeclaredHostPath,
  { murmurHome, workFolder }: HostPathContext,
  earlier: readonly ResolvedHostPath[],
): string | undefined {
  if (!statSync(path).isDirectory()) return 'it is no folder';
  const isSystem =
    path === '/' ||
    [...systemFolders, ...homeFolders].includes(path) ||
    // Where /bin is a link, it leads to a folder that is as much of the system.
    systemFolders.some((folder) => canonical(folder) === path) ||
    systemTrees.some((tree) => isWithin(path, tree));
  if (isSystem) return `${path} belongs to the system`;
  const home = canonical(murmurHome) ?? murmurHome;
  if (access === 'read-write' && overlap(path, home)) return `read-write reaches ${home}, the home of mur itself`;
  const work = workFolder === undefined ? undefined : (canonical(workFolder) ?? workFolder);
  if (work !== undefined && isWithin(path, work)) return 'it lies in the work folder, which commands have anyway';
  if (work !== undefined && access === 'read-write' && isWithin(work, path)) {
    return `read-write reaches ${work}, the work folder, which a command could replace by a link to elsewhere`;
  }
  const [inner, outer] = earlier.flatMap((each) => replaceable({ path, access }, each))[0] ?? [];
  if (inner !== undefined) {
    return `a command could replace ${inner} by a link to elsewhere, because it lies in ${outer}, which is lent for writing`;
  }
  const twin = earlier.findIndex((each) => each.path === path);
  return twin === -1 ? undefined : `it is the same folder as host_paths[${twin}]`;
}

type Lent = Pick<ResolvedHostPath, 'path' | 'access'>;

/** The folder that can be replaced, and the one it is replaced in. Rules are made of paths, anew for each command. */
function replaceable(one: Lent, other: Lent): readonly (readonly [inner: string, outer: string])[] {
  const pairs: readonly (readonly [Lent, Lent])[] = [
    [one, other],
    [other, one],
  ];
  return pairs
    .filter(
      ([inner, outer]) =>
        outer.access === 'read-write' && inner.path !== outer.path && isWithin(inner.path, outer.path),
    )
    .map(([inner, outer]) => [inner.path, outer.path]);
}

function overlap(one: string, other: string): boolean {
  return isWithin(one, other) || isWithin(other, one);
}

function refusal(index: number, declared: string, why: string, hint?: string): MurError {
  return new MurError('E-CAP-901', `host_paths[${index}] '${declared}': ${why}`, hint === undefined ? {} : { hint });
}
