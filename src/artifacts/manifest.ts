import { MurError } from '../errors/index.js';
import { versionProblem } from '../manifest/index.js';
import { present } from '../manifest/present.js';
import { kindOf } from '../manifest/shape.js';
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
  const read = new Fields(root, where);
  const { auth, problem } = readUpstreamAuth(root);
  return present({
    name: read.required('name'),
    version: checkVersion(
      fallbackVersion === undefined ? read.required('version') : (read.text('version') ?? fallbackVersion),
      where,
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
    models: readModels(root.models, (field, value, expected) => read.wrongType(field, value, expected)),
    needsGateway: read.flag('needs_gateway') ?? true,
    hook: present({
      binding: read.text('binding'),
      executionMode: read.text('execution_mode'),
      commitPolicy: read.text('commit_policy'),
    }),
  });
}

function checkVersion(version: string, where: string): string {
  const problem = versionProblem(version);
  if (problem === undefined) return version;
  throw new MurError('E-MAN-003', `${where}: invalid version '${shorten(version)}': ${problem}`);
}

const packagingTypes: readonly PackagingType[] = ['wasm', 'native', 'static'];

function readExecution(read: Fields): PackagingType | undefined {
  const declared = read.text('execution');
  const type = packagingTypes.find((word) => word === declared?.toLowerCase());
  if (declared === undefined || type !== undefined) return type;
  throw new MurError(
    'E-MAN-003',
    `${read.where}: field 'execution' has invalid value '${declared}' (expected one of: ${packagingTypes.join(', ')})`,
  );
}

function defaultFiles(read: Fields): readonly string[] {
  return read.text('runtime') === 'skill' ? ['skill.md'] : [];
}

class Fields {
  constructor(
    readonly root: Root,
    readonly where: string,
  ) {}

  text(field: string): string | undefined {
    const value = this.root[field];
    if (value === undefined || value === null) return undefined;
    if (typeof value !== 'string') throw this.wrongType(field, value, 'string');
    return value.trim() === '' ? undefined : value.trim();
  }

  required(field: string): string {
    const value = this.text(field);
    if (value === undefined) throw new MurError('E-MAN-001', `${this.where}: missing required field '${field}'`);
    return value;
  }

  texts(field: string): readonly string[] {
    const value = this.root[field] ?? [];
    if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value;
    throw this.wrongType(field, value, 'sequence of strings');
  }

  flag(field: string): boolean | undefined {
    const value = this.root[field];
    if (value === undefined || value === null) return undefined;
    if (typeof value !== 'boolean') throw this.wrongType(field, value, 'boolean');
    return value;
  }

  /** JSON text, or a value that JSON can hold. */
  schema(field: string): unknown {
    const value = this.root[field];
    if (value === null) return undefined;
    return typeof value === 'object' ? JSON.parse(JSON.stringify(value, widestNumber)) : value;
  }

  wrongType(field: string, value: unknown, expected: string): MurError {
    const got = kindOf(value);
    return new MurError(
      'E-MAN-003',
      `${this.where}: field '${field}' has invalid type (expected ${expected}, got ${got})`,
    );
  }
}

function widestNumber(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? Number(value) : value;
}
