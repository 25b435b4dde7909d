import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type ArtifactStore, archiveText, findStored } from '../artifacts/index.js';
import { MurError, reasonOf, toMurError } from '../errors/index.js';
import { callsOf, parseRoster, type Roster, type RosterMember, rosterFileName } from '../formation/index.js';
import { parseManifest, readRegularText } from '../manifest/index.js';
import { maxManifestBytes } from '../manifest/yaml.js';
import type { Block, Finding } from './doctor-block.js';

/** What a member's installed capsule declares; a text says why that is not known. */
interface MemberFacts {
  readonly member: RosterMember;
  readonly installed: { readonly acceptsPeers: boolean; readonly isAuthenticated: boolean } | string;
}

/** The roster of `dir`; a block without lines when it has none. Members are looked up in `stores` and started nowhere. */
export async function rosterBlock(dir: string, stores: readonly ArtifactStore[]): Promise<Block> {
  const file = join(dir, rosterFileName);
  if (!existsSync(file)) return { key: 'roster', title: 'Roster', lines: [], json: null };
  try {
    const roster = parseRoster(readRegularText(file, maxManifestBytes), file);
    const facts: MemberFacts[] = [];
    for (const member of roster.members) facts.push({ member, installed: await inspect(member, stores) });
    return describe(file, roster, facts);
  } catch (error) {
    const failure = error instanceof MurError ? error : new MurError('E-ROS-001', `${file}: ${reasonOf(error)}`);
    return {
      key: 'roster',
      title: 'Roster',
      lines: [
        { level: 'error', code: failure.code, text: `the roster is refused (${failure.code})`, fix: `correct ${file}` },
      ],
      json: { file, error: { code: failure.code, message: failure.message } },
      errors: [failure],
    };
  }
}

async function inspect(
  { capsule, version }: RosterMember,
  stores: readonly ArtifactStore[],
): Promise<MemberFacts['installed']> {
  try {
    const stored = await findStored(stores, { name: capsule, version });
    if (stored === undefined) return 'not installed';
    const text = archiveText(await stored.read('murmur.yaml'), 'murmur.yaml', stored.place);
    const { manifest } = parseManifest(text, { path: `murmur.yaml of ${capsule}@${version}` });
    return {
      acceptsPeers: manifest.exports?.peerTasks ?? false,
      isAuthenticated: manifest.network.authentication !== undefined,
    };
  } catch (error) {
    return `unreadable: ${toMurError(error).message}`;
  }
}

function describe(file: string, roster: Roster, facts: readonly MemberFacts[]): Block {
  const isKnown = facts.every(({ installed }) => typeof installed !== 'string');
  const accepts = (name: string): boolean => {
    const { installed } = facts.find(({ member }) => member.name === name)!;
    return typeof installed !== 'string' && installed.acceptsPeers;
  };
  const calls = callsOf(roster, accepts).map(({ from, to }) => ({ from, to }));
  const isAll = roster.reachability === 'all';
  const edges = calls.length === 0 ? 'none' : calls.map(({ from, to }) => `${from} -> ${to}`).join(', ');
  const unsure = isAll && !isKnown ? ' (of the installed members)' : '';
  return {
    key: 'roster',
    title: 'Roster',
    lines: [`file: ${file}`, ...facts.map(row), `reachability${isAll ? ' (all)' : ''}: ${edges}${unsure}`],
    json: {
      file,
      members: facts.map(({ member: { name, capsule, version, isEntry }, installed }) => ({
        name,
        capsule,
        version,
        entry: isEntry,
        serves_peers: typeof installed === 'string' ? null : installed.acceptsPeers,
        authenticated: typeof installed === 'string' ? null : installed.isAuthenticated,
        problem: typeof installed === 'string' ? installed : null,
      })),
      reachability: calls,
    },
  };
}

function row({ member: { name, capsule, version, isEntry }, installed }: MemberFacts): Finding {
  const head = `${name}  ${capsule}@${version}${isEntry ? '  entry' : ''}`;
  if (typeof installed === 'string') {
    return { level: 'error', text: `${head}  - ${installed}`, fix: `mur install -g ${capsule}@${version}` };
  }
  const peers = installed.acceptsPeers ? 'serves peers' : 'refuses peers';
  const door = installed.isAuthenticated ? 'authenticated door' : 'public door';
  return { level: 'ok', text: `${head}  ${peers}  ${door}` };
}
