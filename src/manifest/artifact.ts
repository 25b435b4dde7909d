import { type Capabilities, capabilitiesShape, readCapabilities } from './capabilities.js';
import { type ConfigBlock, readConfigBlock } from './config-block.js';
import { type Gateway, gatewayShape, readGateway } from './gateway.js';
import { artifactNameProblem, toolNameOf } from './grammar.js';
import { present, trimmed } from './present.js';
import type { Report } from './report.js';
import { flag, free, release, text, z } from './shape.js';
import type { Path } from './tree.js';

/** One entry of `artifacts:`. */
export const artifactShape = z.object({
  name: text(),
  version: release(),
  runtime: text(),
  source: text(),
  local_source: flag(),
  prompt_payload: flag(),
  capabilities: capabilitiesShape,
  config: free(),
  gateway: gatewayShape,
  on_overflow: text(),
});

type RawArtifact = z.infer<typeof artifactShape>;

export const artifactRoles = ['tool', 'driver', 'hook', 'skill'] as const;

export type ArtifactRole = (typeof artifactRoles)[number];

/** One entry of `artifacts:`: what the operator asks for and grants (spec/manifest.md section 4). */
export interface ArtifactEntry {
  /** Position in the manifest, for messages. */
  readonly index: number;
  /** As written: `<name>` or `<scope>/<name>`. */
  readonly name: string;
  /** The last segment of `name`: what a model and a driver reference call it. */
  readonly toolName: string;
  /** `local` for an entry with `source`. */
  readonly version: string;
  readonly runtime: ArtifactRole;
  /** Path as written, relative to the manifest's folder. */
  readonly source?: string;
  readonly localSource: boolean;
  readonly promptPayload: boolean;
  readonly capabilities?: Capabilities;
  readonly config?: ConfigBlock;
  readonly gateway?: Gateway;
  readonly onOverflow: 'drop' | 'block';
}

/** The declared entries. Checks each entry in the order of spec/manifest.md section 14, step 3. */
export function readArtifacts(raw: readonly RawArtifact[], report: Report): readonly ArtifactEntry[] {
  const entries = raw.map((entry, index) => readEntry(entry, index, report));
  const seen = new Map<string, ArtifactEntry>();
  for (const entry of entries) {
    const first = seen.get(entry.toolName);
    if (first !== undefined) {
      const message = `artifact '${entry.name}' has the name '${entry.toolName}' that index ${first.index} already uses`;
      throw report.fault(['artifacts', entry.index, 'name'], message);
    }
    seen.set(entry.toolName, entry);
  }
  return entries;
}

function readEntry(raw: RawArtifact, index: number, report: Report): ArtifactEntry {
  const path: Path = ['artifacts', index];
  const name = readName(raw.name, path, report);
  const source = trimmed(raw.source);
  const runtime = readRole(raw.runtime, path, report);
  const isSkill = runtime === 'skill';
  const localSource = raw.local_source ?? isSkill;
  if (source !== undefined && !localSource) {
    const message = `artifact '${name}' declares 'source:' but does not declare 'local_source: true' (runtime: ${runtime})`;
    throw report.fault([...path, 'source'], message);
  }
  const version = readVersion(raw.version, source, name, path, report);
  if (isSkill) refuseOnSkill(raw, name, path, report);
  const owner = runtime === 'hook' ? 'hook' : 'tool';
  return present({
    index,
    name,
    toolName: toolNameOf(name),
    version,
    runtime,
    source,
    localSource,
    promptPayload: raw.prompt_payload ?? isSkill,
    capabilities: raw.capabilities
      ? readCapabilities(raw.capabilities, [...path, 'capabilities'], owner, report.entryFault)
      : undefined,
    config: raw.config === undefined ? undefined : readConfigBlock(report.tree, raw.config),
    gateway: raw.gateway ? readGateway(raw.gateway, [...path, 'gateway'], name, report) : undefined,
    onOverflow: readOverflow(raw.on_overflow, runtime, name, path, report),
  });
}

function readName(value: string | null | undefined, path: Path, report: Report): string {
  const name = trimmed(value);
  if (name === undefined) throw report.fault([...path, 'name'], "missing required field 'name'");
  const problem = artifactNameProblem(name);
  if (problem !== undefined) throw report.fault([...path, 'name'], `invalid artifact name '${name}': ${problem}`);
  return name;
}

function readRole(value: string | null | undefined, path: Path, report: Report): ArtifactRole {
  if (value === null || value === undefined) return 'tool';
  if ((artifactRoles as readonly string[]).includes(value)) return value as ArtifactRole;
  const message =
    value === 'wasm' || value === 'native'
      ? `use 'runtime: tool'; implementation is declared in the artifact's own manifest (got '${value}')`
      : `unknown runtime '${value}'; expected one of: ${artifactRoles.join(', ')}`;
  throw report.fault([...path, 'runtime'], message);
}

function readVersion(
  value: string | null | undefined,
  source: string | undefined,
  name: string,
  path: Path,
  report: Report,
): string {
  const version = trimmed(value);
  if (source !== undefined) {
    if (version !== undefined) {
      const message = `artifact '${name}' declares both 'source:' and 'version: ${version}'; version is ignored for local-source skills (using 'local')`;
      report.warn(undefined, message, [...path, 'version']);
    }
    return 'local';
  }
  if (version === undefined) throw report.fault([...path, 'version'], "missing required field 'version'");
  if (/[/\\\0-\x1f\x7f]/.test(version) || version.startsWith('.')) {
    throw report.fault(
      [...path, 'version'],
      `invalid version '${version}' of artifact '${name}': expected one path segment`,
    );
  }
  return version;
}

function refuseOnSkill(raw: RawArtifact, name: string, path: Path, report: Report): void {
  for (const key of ['capabilities', 'config', 'gateway'] as const) {
    if (raw[key] === undefined || (raw[key] === null && key !== 'config')) continue;
    throw report.fault([...path, key], `artifact '${name}' declares '${key}:' but a skill is text and takes none`);
  }
}

function readOverflow(
  value: string | null | undefined,
  runtime: ArtifactRole,
  name: string,
  path: Path,
  report: Report,
): 'drop' | 'block' {
  if (value === null || value === undefined) return 'drop';
  const at = [...path, 'on_overflow'];
  if (runtime !== 'hook') {
    const message = `artifact '${name}' declares 'on_overflow:' but has 'runtime: ${runtime}'; only a hook has a queue`;
    throw report.fault(at, message);
  }
  if (value !== 'drop' && value !== 'block') {
    throw report.fault(at, `artifact '${name}' declares unknown on_overflow '${value}'; expected: drop, block`);
  }
  return value;
}
