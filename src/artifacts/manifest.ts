import { MurError } from '../errors/index.js';
import { versionProblem } from '../manifest/index.js';
import { present } from '../manifest/present.js';
import { withPosition } from '../manifest/report.js';
import { kindOf } from '../manifest/shape.js';
import type { Path, Tree } from '../manifest/tree.js';
import { parseYaml } from '../manifest/yaml.js';
import { shorten } from '../text/index.js';
import { readModels } from './models.js';
import type { ArtifactManifest, PackagingType } from './types.js';
import { readUpstreamAuth } from './upstream-auth.js';

type Root = Readonly<Record<string, unknown>>;

/** The packaging type of an artifact (spec/artifacts.md section 2): what it declares, else what its role says. */
export function packagingOf(manifest: ArtifactManifest): PackagingType {
  if (manifest.execution !== undefined) return manifest.execution;
  if (manifest.runtime === 'skill') return 'static';
  return manifest.runtime === 'tool' && manifest.implementation === 'native' ? 'native' : 'wasm';
}

/**
 * The manifest an artifact carries (spec/artifacts.md section 2). `where` names it in messages. Unknown keys are passed over
 * without a word: it was written for whatever release built it. `fallbackVersion` stands in for a version that is not there.
 */
export function parseArtifactManifest(text: string, where: string, fallbackVersion?: string): ArtifactManifest {
  const parsed = parseYaml(text, (path) => path.length === 1 && path[0] === 'version');
  if (!parsed.ok) {
    const at = parsed.at === undefined ? '' : ` at line ${parsed.at.line}, column ${parsed.at.column}`;
    throw new MurError('E-MAN-002', `${where}: YAML syntax error${at}: ${parsed.detail}`);
  }
  const root = (parsed.tree.root ?? {}) as Root;
  if (kindOf(root) !== 'mapping') throw new MurError('E-MAN-002', `${where}: expected mapping, got ${kindOf(root)}`);
  const read = new Fields(parsed.tree, where);
  const { auth, problem } = readUpstreamAuth(root);
  return present({
    name: read.required('name'),
    version: checkVersion(
      fallbackVersion === undefined ? read.required('version') : (read.text('version') ?? fallbackVersion),
      read,
    ),
    runtime: read.required('runtime'),
    implementation: root.implementation === 'native' ? ('native' as const) : ('wasm' as const),
    execution: readExecution(read),
    requiresFiles: root.requires_files == null ? defaultFiles(read) : read.texts('requires_files'),
    description: read.text('description'),
    summary: read.text('summary'),
    tags: read.texts('tags'),
    inputSchema: read.schema('input_schema') ?? read.schema('input'),
    outputSchema: read.schema('output_schema'),
    upstreamAuth: auth,
    upstreamAuthProblem: problem,
    models: readModels(root.models, (path, value, expected) => read.wrongType(path, value, expected)),
    needsGateway: read.flag('needs_gateway') ?? true,
    hook: present({
      binding: read.text('binding'),
      executionMode: read.text('execution_mode'),
      commitPolicy: read.text('commit_policy'),
    }),
  });
}

function checkVersion(version: string, read: Fields): string {
  const problem = versionProblem(version);
  if (problem === undefined) return version;
  throw read.fault(['version'], `invalid version '${shorten(version)}': ${problem}`);
}

const packagingTypes: readonly PackagingType[] = ['wasm', 'native', 'static'];

function readExecution(read: Fields): PackagingType | undefined {
  const declared = read.text('execution');
  const type = packagingTypes.find((word) => word === declared?.toLowerCase());
  if (declared === undefined || type !== undefined) return type;
  throw read.fault(
    ['execution'],
    `field 'execution' has invalid value '${shorten(declared)}' (expected one of: ${packagingTypes.join(', ')})`,
  );
}

function defaultFiles(read: Fields): readonly string[] {
  return read.text('runtime') === 'skill' ? ['skill.md'] : [];
}

class Fields {
  readonly root: Root;

  constructor(
    readonly tree: Tree,
    readonly where: string,
  ) {
    this.root = (tree.root ?? {}) as Root;
  }

  text(field: string): string | undefined {
    const value = this.root[field];
    if (value === undefined || value === null) return undefined;
    if (typeof value !== 'string') throw this.wrongType([field], value, 'string');
    return value.trim() === '' ? undefined : value.trim();
  }

  required(field: string): string {
    const value = this.text(field);
    if (value !== undefined) return value;
    const message = `${this.where}: missing required field '${field}'`;
    throw new MurError('E-MAN-001', withPosition(message, this.tree.keyPositionOf([field])), {
      hint: `add "${field}:" to it`,
    });
  }

  texts(field: string): readonly string[] {
    const value = this.root[field] ?? [];
    if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value;
    throw this.wrongType([field], value, 'sequence of strings');
  }

  flag(field: string): boolean | undefined {
    const value = this.root[field];
    if (value === undefined || value === null) return undefined;
    if (typeof value !== 'boolean') throw this.wrongType([field], value, 'boolean');
    return value;
  }

  /** JSON text, or a value that JSON can hold. */
  schema(field: string): unknown {
    const value = this.root[field];
    if (value === null) return undefined;
    return typeof value === 'object' ? JSON.parse(JSON.stringify(value, widestNumber)) : value;
  }

  wrongType(path: Path, value: unknown, expected: string): MurError {
    return this.fault(path, `field '${path.join('.')}' has invalid type (expected ${expected}, got ${kindOf(value)})`);
  }

  /** `E-MAN-003` about the value at `path`, with where it stands. */
  fault(path: Path, message: string): MurError {
    return new MurError('E-MAN-003', withPosition(`${this.where}: ${message}`, this.tree.positionOf(path)));
  }
}

function widestNumber(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? Number(value) : value;
}
