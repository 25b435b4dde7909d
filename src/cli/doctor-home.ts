import { lstatSync, readdirSync, type Stats, statSync } from 'node:fs';
import { join } from 'node:path';
import { reasonOf } from '../errors/index.js';
import type { Block, Finding } from './doctor-block.js';
import type { Warning } from './output.js';

interface HomeEntry {
  readonly name: string;
  readonly holds: string;
  /** Widest mode it may have. Absent: it holds no secret, and its mode is the user's business. */
  readonly mode?: number;
  /** Widest mode of the files right inside of it. */
  readonly fileMode?: number;
}

/** What may lie in `~/.murmur`, always listed (spec/config.md section 8). */
const entries: readonly HomeEntry[] = [
  { name: '.', holds: 'everything below', mode: 0o700 },
  { name: 'config.yaml', holds: 'your configuration, with keys', mode: 0o600 },
  { name: 'deploy_keys', holds: 'keys of deployments', mode: 0o700, fileMode: 0o600 },
  { name: 'deploy_staging', holds: 'uploads of deployments', mode: 0o700 },
  { name: 'deployments.json', holds: 'what was deployed where', mode: 0o600 },
  { name: 'spend', holds: 'what was spent', mode: 0o700, fileMode: 0o600 },
  { name: 'conversations', holds: 'conversation records', mode: 0o700 },
  { name: 'running', holds: 'addresses and tokens of running sessions', mode: 0o700, fileMode: 0o600 },
  { name: 'sessions', holds: 'runtime directories of running sessions', mode: 0o700 },
  { name: 'records', holds: 'traces, logs and results of sessions', mode: 0o700 },
  { name: 'state', holds: 'what artifacts keep between sessions', mode: 0o700 },
  { name: 'artifacts', holds: 'artifacts for every project' },
  { name: 'compiled', holds: 'compiled components; may be deleted', mode: 0o700 },
  { name: 'bin', holds: 'programs for deployments' },
  { name: 'formations', holds: 'folders of formation members', mode: 0o700 },
];

const maxListed = 20;

/** The entries of the murmur home with their modes, and which of them let others in (`W-SEC-028`). */
export function homeBlock(root: string): Block {
  const rows = entries.map((entry) => ({ ...entry, ...look(join(root, entry.name), entry) }));
  const width = Math.max(...rows.map(({ name }) => name.length)) + 1;
  const wide = rows.flatMap((row) => row.wide);
  return {
    key: 'home',
    title: `Murmur home (${root})`,
    lines: [
      ...rows.map(({ name, state, holds }) => `${`${name}:`.padEnd(width)} ${state}  ${holds}`),
      ...wide.slice(0, maxListed).map(finding),
      ...(wide.length > maxListed ? [`and ${wide.length - maxListed} more`] : []),
    ],
    json: {
      path: root,
      entries: rows.map(({ name, state }) => ({ name, state })),
      wider: wide.map(({ path, mode, expected }) => ({ path, mode: octal(mode), expected: octal(expected) })),
    },
    warnings: wide.slice(0, maxListed).map(warning),
  };
}

interface Wide {
  readonly path: string;
  readonly mode: number;
  readonly expected: number;
}

function look(path: string, { mode, fileMode }: HomeEntry): { readonly state: string; readonly wide: readonly Wide[] } {
  try {
    // A link is looked through: a user may keep the home or a part of it on another disk.
    const facts = statSync(path, { throwIfNoEntry: false });
    if (facts === undefined) return { state: 'absent', wide: [] };
    const own = mode === undefined ? [] : widerThan(path, facts, mode);
    const inside = fileMode === undefined ? [] : filesIn(path, fileMode);
    const note = own.length > 0 ? ', expected owner-only' : '';
    return { state: `${octal(facts.mode)}${note}`, wide: [...own, ...inside] };
  } catch (error) {
    return { state: `unreadable (${reasonOf(error)})`, wide: [] };
  }
}

function filesIn(folder: string, expected: number): readonly Wide[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .flatMap(({ name }) => {
      const path = join(folder, name);
      // Records come and go while this looks.
      const facts = lstatSync(path, { throwIfNoEntry: false });
      return facts === undefined ? [] : widerThan(path, facts, expected);
    });
}

function widerThan(path: string, facts: Stats, expected: number): readonly Wide[] {
  const mode = facts.mode & 0o777;
  return (mode & 0o077) === 0 ? [] : [{ path, mode, expected }];
}

function finding({ path, mode, expected }: Wide): Finding {
  return {
    level: 'warning',
    code: 'W-SEC-028',
    text: `wider than ${octal(expected)}: ${path} is ${octal(mode)}`,
    fix: `chmod ${expected.toString(8)} ${path}`,
  };
}

function warning({ path, mode }: Wide): Warning {
  const message = `${path} is for its owner only and its mode ${octal(mode)} lets others of this machine in`;
  return { code: 'W-SEC-028', message, origin: 'runtime' };
}

function octal(mode: number): string {
  return (mode & 0o777).toString(8).padStart(4, '0');
}
