import type { PreopenRow, ProtectedFolder, ResourceRow, ScopeReport, StarterRow } from '../scope/index.js';
import { oneLine } from './safe-text.js';
import type { Style } from './style.js';

/** The scope report for people, in the order of spec/containment.md 18.1. Every text of a manifest is one safe line. */
export function scopeText(report: ScopeReport, style: Style): string {
  const blocks = [
    containment(report),
    grants(report),
    resourcePlane(report),
    peerHandoff(report),
    { title: 'Runtime writes', lines: report.runtime_writes.map(({ path, holds }) => item(`${path} (${holds})`)) },
    { title: 'Runtime directory', lines: protectedLines(report.runtime_dir) },
    { title: 'Records directory', lines: protectedLines(report.records_dir) },
    { title: 'Temporary directory', lines: temporary(report.temp_dir) },
  ];
  const texts = blocks.filter(({ lines }) => lines.length > 0).map(({ title, lines }) => [style.bold(title), ...lines]);
  const last = report.floor_met ? [] : [[style.yellow(`The floor is not met: mur run would refuse here (E-CAP-003).`)]];
  return `${[...insertAfterFirst(texts, notProtected(report, style)), ...last].map((lines) => lines.join('\n')).join('\n\n')}\n`;
}

interface Block {
  readonly title: string;
  readonly lines: readonly string[];
}

function insertAfterFirst<T>([first, ...rest]: readonly T[], more: readonly T[]): T[] {
  return first === undefined ? [...more] : [first, ...more, ...rest];
}

function containment(report: ScopeReport): Block {
  const host = report.host_containment === report.achieved_containment ? [] : [field('host', report.host_containment)];
  return {
    title: 'Containment',
    lines: [
      field('declared', report.declared_containment),
      field('achieved', report.achieved_containment),
      ...host,
      field('floor met', yes(report.floor_met)),
      ...(report.shortfall_reason === undefined ? [] : [field('reason', report.shortfall_reason)]),
      field('mechanism', report.enforcement_tier),
      field('userns grant', report.userns_grant ?? 'n/a'),
    ],
  };
}

function notProtected({ filesystem_boundary: { not_protected: statements } }: ScopeReport, style: Style): string[][] {
  if (statements.length === 0) return [];
  return [[style.bold('Not protected here'), ...statements.map((statement) => `  - ${oneLine(statement)}`)]];
}

function grants(report: ScopeReport): Block {
  return {
    title: 'Effective grants',
    lines: [
      field('filesystem scope', report.filesystem_scope ?? none),
      field('workdir exec', yes(report.workdir_exec)),
      ...list('read-only paths', report.read_only_paths),
      ...readOnlyLines(report),
      ...list('preopens', report.preopens.map(preopenText)),
      ...list('network allow', report.network_allow),
      field('unix sockets', yes(report.unix_sockets)),
      ...list('shell allow', report.shell_allow),
      ...(report.shell_starters.length === 0 ? [] : list('started by', report.shell_starters.map(starterText))),
      ...list('native tools', report.native_tools.map(nativeText)),
      ...list('spawn allow', report.spawn_allow),
      ...list('env allow', report.env_allow),
      field('plan submit', yes(report.plan_submit)),
      ...list('install skill', report.install_skill),
      ...list('install tool', report.install_tool),
      field('install from', report.install_from.join(', ')),
      ...list('interpreter runtime', report.interpreter_runtime_grants),
      ...list('derived interpreter runtime', folded(report.derived_interpreter_runtime)),
      ...list('trust store', report.trust_store),
      ...list(
        'host paths',
        report.host_paths.map(({ path, access }) => `${path} (${access})`),
      ),
      ...list('staged runtime', report.staged_runtime_grants),
      ...list(
        'state stores',
        report.state_stores.map(({ artifact, store, host_path }) => `${artifact}: ${store} -> ${host_path}`),
      ),
      ...list('artifact config', report.configured_artifacts),
    ],
  };
}

function resourcePlane({ exports_files: files, io_max: io, cgroup, resources }: ScopeReport): Block {
  const why = io.reason === undefined ? '' : `: ${io.reason}`;
  const declared = io.declared_bytes_per_sec === null ? 'default' : `${io.declared_bytes_per_sec} bytes/s`;
  return {
    title: 'Resource plane',
    lines: [
      ...(files === null
        ? [field('exports.files', none)]
        : [field('exports.files', `${files.root}, ${files.mode}, max ${files.max_bytes} bytes`)]),
      field('io.max', `${io.status}${why} (declared: ${declared})`),
      field('cgroup', cgroup),
      ...(resources.length === 0 ? [] : list('limits of commands', resources.map(resourceText))),
    ],
  };
}

/** Files of one folder as one line, with their number: an interpreter reads a hundred libraries. `--json` has each. */
function folded(paths: readonly string[]): string[] {
  const folders = new Map<string, string[]>();
  for (const path of paths) {
    const folder = path.slice(0, path.lastIndexOf('/'));
    folders.set(folder, [...(folders.get(folder) ?? []), path]);
  }
  return [...folders].flatMap(([folder, files]) =>
    files.length < 4 ? files : [`${folder}/ (${files.length} files or folders in it; --json lists them)`],
  );
}

/** `cpu_seconds: 3600, by rlimit` */
function resourceText({ limit, value, enforced_by, not_enforced_because: because }: ResourceRow): string {
  const held = enforced_by === null ? `not enforced: ${because}` : `by ${enforced_by}`;
  return `${limit}: ${value ?? none}, ${held}`;
}

function peerHandoff({ peer_files: files, peer_fetch_allow: fetch, peer_tasks: tasks }: ScopeReport): Block {
  return {
    title: 'Peer handoff',
    lines: [
      field('root', files?.root ?? none),
      ...(files === null
        ? []
        : [field('max handle ttl', `${files.max_ttl_secs}s`), field('max bytes', String(files.max_bytes))]),
      field('peer tasks', tasks ? 'accepted' : 'refused'),
      ...list('peer fetch allow', fetch),
    ],
  };
}

function protectedLines({ path, enforced_by, not_protected_because }: ProtectedFolder): string[] {
  return [
    field('path', path),
    not_protected_because === null
      ? field('read-only to commands', `yes, by ${enforced_by}`)
      : field('read-only to commands', `not enforced: ${not_protected_because}`),
  ];
}

function temporary({ path, maps_tmp, not_mapped_because }: ScopeReport['temp_dir']): string[] {
  return [
    field('path', path),
    field('/tmp', maps_tmp ? 'is this folder' : `is not this folder: ${not_mapped_because}`),
  ];
}

function readOnlyLines({ read_only_advisory_for: advisoryFor, read_only_enforcement: hold }: ScopeReport): string[] {
  if (hold === null) return [];
  const reasons = hold.not_held.map(({ path, because }) => `${path}: ${because}`);
  return readOnlyText(
    { commands: hold.commands, because: hold.commands_because, isWhole: reasons.length === 0 },
    { advisoryFor, reasons },
  ).map((line) => `  ${line}`);
}

/** What `read_only` is worth here, for `--explain-scope` and `mur doctor`: one line, and below it what is not held and why. */
export function readOnlyText(
  hold: { readonly commands: 'mounts' | null; readonly because: string | null; readonly isWhole: boolean },
  { advisoryFor, reasons }: { readonly advisoryFor: readonly string[]; readonly reasons: readonly string[] },
): string[] {
  const name = 'read_only enforcement';
  if (hold.commands === 'mounts' && hold.isWhole) {
    return [`${name}: enforced for every tool call and every command: mounted read-only`];
  }
  const line =
    advisoryFor.length > 0
      ? `${name}: advisory against ${advisoryFor.map(oneLine).join(', ')}`
      : `${name}: enforced for every tool call and every shell command the dispatch check can read`;
  const why = hold.because === null ? reasons : [`not mounted read-only for commands: ${hold.because}`, ...reasons];
  return [line, ...why.map((reason) => `  - ${oneLine(reason)}`)];
}

const surfaces: Readonly<Record<PreopenRow['surface'], string>> = {
  'whole-workdir': 'the whole accessible workdir',
  'scoped-subtree': 'one subtree of the accessible workdir',
  nothing: 'nothing',
};

/** `acme/files (tool): one subtree of the accessible workdir — docs` */
export function preopenText({ artifact, role, surface, scope }: PreopenRow): string {
  return `${artifact} (${role}): ${surfaces[surface]} — ${scope ?? 'none declared'}`;
}

/** `acme/git (tool), when it imports murmur:shell/execute` */
function starterText({ who, role, refused_because }: StarterRow): string {
  if (role === 'model') return 'the model';
  const what = role === 'capsule' ? 'the component of the capsule' : `${who} (tool)`;
  return refused_because === null
    ? `${what}, when it imports murmur:shell/execute`
    : `not by ${what}: ${refused_because}`;
}

/** `acme/probe (script): runs /usr/bin/dash` */
function nativeText({ artifact, image, runs }: ScopeReport['native_tools'][number]): string {
  return `${artifact} (${image})${runs.length === 0 ? '' : `: runs ${runs.join(', ')}`}`;
}

const none = '<none>';

function yes(value: boolean): string {
  return value ? 'yes' : 'no';
}

function field(name: string, value: string): string {
  return `  ${name}: ${oneLine(value)}`;
}

function item(text: string): string {
  return `    - ${oneLine(text)}`;
}

function list(name: string, items: readonly string[]): string[] {
  return items.length === 0 ? [field(name, none)] : [`  ${name}:`, ...items.map(item)];
}
