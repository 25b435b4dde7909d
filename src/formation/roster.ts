import { type ErrorCode, MurError } from '../errors/index.js';
import { artifactNameProblem } from '../manifest/grammar.js';
import { dotted } from '../manifest/report.js';
import { flag, integer, keepsTextOf, kindOf, list, release, shapeProblem, text, texts, z } from '../manifest/shape.js';
import { nearestKey } from '../manifest/suggest.js';
import type { Path, Tree } from '../manifest/tree.js';
import { parseYaml } from '../manifest/yaml.js';

export const rosterFileName = 'roster.yaml';

export interface RosterMember {
  readonly name: string;
  /** Full artifact name of its capsule. */
  readonly capsule: string;
  readonly version: string;
  /** The one member that gets the task of the launch. */
  readonly isEntry: boolean;
}

export interface RosterRule {
  readonly from: string;
  readonly to: readonly string[];
}

/** A roster file that passed checks 1 to 5 of spec/formations.md 1.1: those that touch no store. */
export interface Roster {
  readonly members: readonly RosterMember[];
  readonly reachability: 'all' | readonly RosterRule[];
}

const memberShape = z.object({ name: text(), capsule: text(), version: release(), entry: flag() });
const ruleShape = z.object({ from: text(), to: texts() });
const rosterShape = z.object({
  roster_version: integer(),
  members: list(memberShape),
  reachability: z.nullish(z.union([z.literal('all'), z.array(ruleShape)])),
});
type RawRoster = z.infer<typeof rosterShape>;
type RawMember = z.infer<typeof memberShape>;

const memberName = /^[a-z][a-z0-9-]{0,31}$/;
const floating = ['latest', 'stable', 'edge'];

/**
 * The roster in `source`. Throws `E-ROS-001` for its shape, then `E-ROS-003` for a name used twice, `E-ROS-002` for other than one
 * entry member, `E-ROS-004` for a rule that names no member and `E-ROS-008` for one into the entry member. Pure.
 */
export function parseRoster(source: string, path: string): Roster {
  const raw = shaped(source, path);
  const fail = (key: Path, why: string, code: ErrorCode = 'E-ROS-001') =>
    new MurError(code, `${path}: ${dotted(key)}${memberOf(raw, key)}: ${why}`);
  if (raw.roster_version !== 1) {
    throw fail(
      ['roster_version'],
      raw.roster_version == null ? 'missing; write 1' : `expected 1, got ${raw.roster_version}`,
    );
  }
  const members = (raw.members ?? []).map((member, index) => readMember(member, ['members', index], fail));
  if (members.length === 0) throw fail(['members'], 'must name at least one member');
  const reachability = readReachability(raw.reachability, fail);
  checkNames(members, path);
  const entry = entryOf(members, path);
  if (reachability !== 'all') checkRules(reachability, members, entry, path);
  return { members, reachability };
}

type Fail = (key: Path, why: string) => MurError;

function shaped(source: string, path: string): RawRoster {
  const outcome = parseYaml(source, keepsTextOf(rosterShape));
  const refuse = (why: string) => new MurError('E-ROS-001', `${path}: ${why}`);
  if (!outcome.ok) {
    const { at, detail } = outcome;
    throw refuse(`YAML syntax error${at === undefined ? '' : ` at line ${at.line}, column ${at.column}`}: ${detail}`);
  }
  const { tree } = outcome;
  if (kindOf(tree.root) !== 'mapping') throw refuse(`expected mapping, got ${kindOf(tree.root)}`);
  const unknown = unknownKey(tree);
  if (unknown !== undefined) throw refuse(unknown);
  const problem = shapeProblem(rosterShape, tree.root);
  const raw = tree.root as RawRoster;
  if (problem === undefined) return raw;
  throw refuse(`${dotted(problem.path)}${memberOf(raw, problem.path)}: ${problem.message}`);
}

/** Unlike in a manifest, a key nobody knows is refused: a rule that is not understood must not be left out. */
function unknownKey(tree: Tree): string | undefined {
  const root = tree.root as { readonly members?: unknown; readonly reachability?: unknown };
  const blocks: (readonly [path: Path, value: unknown, known: readonly string[]])[] = [
    [[], root, Object.keys(rosterShape.def.shape)],
    ...blocksOf('members', root.members, Object.keys(memberShape.def.shape)),
    ...blocksOf('reachability', root.reachability, Object.keys(ruleShape.def.shape)),
  ];
  for (const [path, value, known] of blocks) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) continue;
    const key = tree.keysOf(value).find((name) => !known.includes(name));
    if (key === undefined) continue;
    const near = nearestKey(key, known);
    return `${dotted([...path, key])}: unknown key; ${near === undefined ? `expected one of: ${known.join(', ')}` : `did you mean '${near}'?`}`;
  }
  return undefined;
}

function blocksOf(
  name: string,
  value: unknown,
  known: readonly string[],
): (readonly [Path, unknown, readonly string[]])[] {
  return Array.isArray(value) ? value.map((item, index) => [[name, index], item, known] as const) : [];
}

/** ` (member 'coder')`, for a key inside of a member that has a name. */
function memberOf(raw: RawRoster, [list, index]: Path): string {
  if (list !== 'members' || typeof index !== 'number' || !Array.isArray(raw.members)) return '';
  const name: unknown = raw.members[index]?.name;
  return typeof name === 'string' && name.trim() !== '' ? ` (member '${name.trim()}')` : '';
}

function readMember(raw: RawMember, at: Path, fail: Fail): RosterMember {
  const field = (key: 'name' | 'capsule' | 'version'): string => {
    const value = raw[key]?.trim() ?? '';
    if (value === '') throw fail([...at, key], 'missing required field');
    return value;
  };
  const name = field('name');
  if (!memberName.test(name)) {
    throw fail(
      [...at, 'name'],
      `'${name}' is no member name; expected a lowercase letter, then letters, digits or -, 32 at most`,
    );
  }
  const capsule = field('capsule');
  const problem = artifactNameProblem(capsule);
  if (problem !== undefined) throw fail([...at, 'capsule'], `'${capsule}' is no artifact name: ${problem}`);
  const version = field('version');
  if (floating.includes(version)) throw fail([...at, 'version'], `'${version}' is no exact version`);
  return { name, capsule, version, isEntry: raw.entry ?? false };
}

function readReachability(raw: RawRoster['reachability'], fail: Fail): Roster['reachability'] {
  if (raw === 'all') return raw;
  return (raw ?? []).map(({ from, to }, index) => {
    const at = ['reachability', index];
    const caller = from?.trim() ?? '';
    if (caller === '') throw fail([...at, 'from'], 'missing required field');
    const callees = (to ?? []).map((name) => name.trim());
    if (callees.length === 0) throw fail([...at, 'to'], 'must name at least one member');
    if (callees.includes(caller)) throw fail([...at, 'to'], `'${caller}' cannot call itself`);
    return { from: caller, to: callees };
  });
}

function checkNames(members: readonly RosterMember[], path: string): void {
  const names = members.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new MurError('E-ROS-003', `${path}: two members are called '${twice}'`);
}

function entryOf(members: readonly RosterMember[], path: string): RosterMember {
  const entries = members.filter(({ isEntry }) => isEntry);
  const [entry] = entries;
  if (entry !== undefined && entries.length === 1) return entry;
  const found = entries.length === 0 ? 'none' : entries.map(({ name }) => name).join(', ');
  throw new MurError('E-ROS-002', `${path}: a roster needs one entry member; this one has ${found}`, {
    hint: 'write entry: true on the member that gets the task',
  });
}

function checkRules(
  rules: readonly RosterRule[],
  members: readonly RosterMember[],
  entry: RosterMember,
  path: string,
): void {
  const names = members.map(({ name }) => name);
  for (const [index, { from, to }] of rules.entries()) {
    const unknown = [from, ...to].find((name) => !names.includes(name));
    if (unknown === undefined) continue;
    const near = nearestKey(unknown, names);
    throw new MurError(
      'E-ROS-004',
      `${path}: rule ${index} names '${unknown}', which is no member`,
      near === undefined ? {} : { hint: `did you mean '${near}'?` },
    );
  }
  const inward = rules.findIndex(({ to }) => to.includes(entry.name));
  if (inward !== -1) {
    throw new MurError('E-ROS-008', `${path}: rule ${inward} calls the entry member '${entry.name}'`);
  }
}
