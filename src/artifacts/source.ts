import { existsSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { MurError, reasonOf } from '../errors/index.js';
import { type ArtifactEntry, isMissing, readRegularText } from '../manifest/index.js';
import { packagingOf, parseArtifactManifest } from './manifest.js';
import { fileNames, maxArtifactBytes, readArtifactFile } from './payload.js';
import { nativePayload, programOf, rootWasm } from './program.js';
import type { ArtifactManifest, ArtifactPayload } from './types.js';

/** What was read from an entry's `source:`. */
export interface SourcedArtifact {
  readonly role: 'skill' | 'tool' | 'driver';
  readonly manifestText: string;
  readonly manifest: ArtifactManifest;
  readonly payload: ArtifactPayload;
}

/**
 * The artifact at an entry's `source:` path, read afresh at every launch (spec/manifest.md section 4.2). A file is a skill; a
 * folder with `skill.md`, in any letter case, is a skill.
 *
 * Ours beyond upstream: a folder whose `murmur.yaml` says `runtime: tool` or `driver` and that holds one root `*.wasm`, or the
 * program of a native tool, is staged in that role, so that an artifact can be tried while it is written. The entry must opt in with `local_source: true`
 * and name the same role.
 */
export function readSource(entry: ArtifactEntry, manifestDir: string): SourcedArtifact {
  const path = resolve(manifestDir, entry.source ?? '.');
  if (!isDirectory(path)) return skill(entry, readText(path));
  const names = fileNames(path);
  const described = describe(path, names);
  if (described !== undefined && (described.manifest.runtime === 'tool' || described.manifest.runtime === 'driver')) {
    const role = roleOf(described.manifest.runtime, entry, path);
    if (packagingOf(described.manifest) === 'native') {
      const program = join(path, programOf(described.manifest.name));
      if (!existsSync(program)) {
        throw new MurError('E-IO-001', `native tool '${entry.name}' has no program at ${program}`, {
          hint: 'build it there',
        });
      }
      return { ...described, role, payload: nativePayload(entry, readArtifactFile(program)) };
    }
    const bytes = readArtifactFile(join(path, rootWasm(path, names, described.manifest)));
    return { ...described, role, payload: { kind: 'wasm', bytes } };
  }
  const file = names.find((name) => name.toLowerCase() === 'skill.md');
  if (file === undefined) throw missingPayload(entry, path);
  const sourced = skill(entry, readText(join(path, file)));
  return described?.manifest.runtime === 'skill' ? { ...sourced, ...described } : sourced;
}

/** The folder's own artifact manifest. A `murmur.yaml` without `runtime:` is a capsule's, and no description of the folder. */
function describe(
  path: string,
  names: readonly string[],
): Pick<SourcedArtifact, 'manifest' | 'manifestText'> | undefined {
  if (!names.includes('murmur.yaml')) return undefined;
  const place = join(path, 'murmur.yaml');
  const manifestText = readText(place);
  try {
    return { manifestText, manifest: parseArtifactManifest(manifestText, place) };
  } catch (error) {
    if (names.some((name) => name.toLowerCase() === 'skill.md')) return undefined;
    throw error;
  }
}

function roleOf(role: 'tool' | 'driver', entry: ArtifactEntry, path: string): 'tool' | 'driver' {
  if (role === entry.runtime) return role;
  throw new MurError(
    'E-MAN-003',
    `murmur.yaml: invalid artifact declaration at index ${entry.index}: artifact '${entry.name}' has 'runtime: ${entry.runtime}' but ${join(path, 'murmur.yaml')} says 'runtime: ${role}'`,
    { hint: `write runtime: ${role} in the entry` },
  );
}

function skill(entry: ArtifactEntry, text: string): SourcedArtifact {
  const manifestText = `name: ${entry.toolName}\nversion: ${entry.version}\nruntime: skill\n`;
  const manifest = parseArtifactManifest(manifestText, `artifact '${entry.name}'`);
  return { role: 'skill', manifestText, manifest, payload: { kind: 'skill', text } };
}

function missingPayload(entry: ArtifactEntry, path: string): MurError {
  if (entry.runtime === 'skill')
    return new MurError('E-IO-001', `skill source directory '${path}' contains no skill.md`);
  return new MurError(
    'E-IO-001',
    `source directory '${path}' of artifact '${entry.name}' holds neither skill.md nor a murmur.yaml with runtime: ${entry.runtime}`,
    { hint: 'build the artifact there, or install it and declare its version' },
  );
}

function isDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch (error) {
    if (isMissing(error)) throw new MurError('E-IO-001', `skill source path not found: ${path}`);
    throw new MurError('E-IO-003', `failed to read ${path}: ${reasonOf(error)}`, { cause: error });
  }
}

function readText(path: string): string {
  try {
    return readRegularText(path, maxArtifactBytes);
  } catch (error) {
    throw new MurError('E-IO-003', `failed to read ${path}: ${reasonOf(error)}`, { cause: error });
  }
}
