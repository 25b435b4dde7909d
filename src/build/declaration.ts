import { join } from 'node:path';
import { type ArtifactManifest, type PackagingType, packagingOf, parseArtifactManifest } from '../artifacts/index.js';
import { isMurError, MurError } from '../errors/index.js';
import { readManifestText } from '../manifest/index.js';
import { kindOf } from '../manifest/shape.js';
import { parseYaml } from '../manifest/yaml.js';

/** `build:` of an artifact manifest, a key of ours: other runtimes pass over it, so it stays in the packed manifest. */
export interface BuildBlock {
  /** The JavaScript or TypeScript file to compile, relative to the manifest. */
  readonly source: string;
  /** The source exports the WIT interface itself instead of plain functions. */
  readonly isRaw: boolean;
}

/** An artifact as its `murmur.yaml` declares it, before anything is packed. */
export interface Declaration {
  readonly folder: string;
  readonly text: string;
  readonly tree: unknown;
  readonly manifest: ArtifactManifest;
  readonly packaging: PackagingType;
  readonly build?: BuildBlock;
}

/** The declaration in `folder`. Throws `E-IO-001` without one, `E-IO-002/003` when it cannot be read, `E-MAN-*` for a broken one, `E-BLD-004` for a retired key. */
export function readDeclaration(folder: string): Declaration {
  return parseDeclaration(declarationText(join(folder, 'murmur.yaml')), folder);
}

function declarationText(place: string): string {
  try {
    return readManifestText(place);
  } catch (error) {
    if (!isMurError(error) || error.code !== 'E-IO-001') throw error;
    throw new MurError(error.code, error.message, {
      hint: 'mur new tool makes a project to start from; mur build <folder> builds another one',
    });
  }
}

/** The same for `text`. */
export function parseDeclaration(text: string, folder: string): Declaration {
  const manifest = parseArtifactManifest(text, 'murmur.yaml');
  const parsed = parseYaml(text, () => false);
  const tree: Readonly<Record<string, unknown>> = parsed.ok
    ? ((parsed.tree.root ?? {}) as Record<string, unknown>)
    : {};
  if (tree.inference_auth !== undefined) {
    throw new MurError(
      'E-BLD-004',
      "murmur.yaml: field 'inference_auth' was renamed to 'upstream_auth'; the old name is not read any more",
    );
  }
  const build = buildBlock(tree.build);
  return {
    folder,
    text,
    tree,
    manifest,
    packaging: packagingOf(manifest),
    ...(build === undefined ? {} : { build }),
  };
}

function buildBlock(value: unknown): BuildBlock | undefined {
  if (value === undefined || value === null) return undefined;
  if (kindOf(value) !== 'mapping') throw wrong('build', 'mapping', value);
  const { source, raw = false, ...others } = value as Readonly<Record<string, unknown>>;
  if (typeof source !== 'string' || source.trim() === '') throw wrong('build.source', 'a file name', source);
  if (typeof raw !== 'boolean') throw wrong('build.raw', 'boolean', raw);
  const [odd] = Object.keys(others);
  if (odd !== undefined) {
    throw new MurError('E-MAN-003', `murmur.yaml: unknown key 'build.${odd}'; build takes source and raw`);
  }
  return { source: source.trim(), isRaw: raw };
}

function wrong(field: string, expected: string, value: unknown): MurError {
  return new MurError(
    'E-MAN-003',
    `murmur.yaml: field '${field}' has invalid type (expected ${expected}, got ${kindOf(value)})`,
  );
}
