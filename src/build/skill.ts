import { readdirSync, statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { openZip, type PackEntry } from '../artifacts/index.js';
import { MurError, reasonOf } from '../errors/index.js';
import { isMissing, readRegularFile, versionProblem } from '../manifest/index.js';
import { shorten } from '../text/index.js';
import { pack } from './build.js';
import { parseDeclaration } from './declaration.js';
import { archiveFileName, type PlannedEntry, planBuild } from './plan.js';
import { secretWarnings } from './secrets.js';
import type { BuildWarning, Built } from './types.js';

export interface SkillOptions {
  /** A folder or a zip that holds `SKILL.md`, in any letter case. */
  readonly path: string;
  /** Default: made from the last part of the path. */
  readonly name?: string;
  readonly version: string;
  readonly summary?: string;
  /** Where the archive is written. */
  readonly folder: string;
  readonly onWarning?: (warning: BuildWarning) => void;
}

const maxFileBytes = 524_288_000;

/**
 * Packs a skill that is plain files (spec/cli.md section 5): its text as `skill.md`, and the regular files beside it. The specification
 * packs all of them, hidden ones too; ours leaves out, with a `W-SEC-004` each, those that hold keys by their name or their content.
 *
 * Does not stop: a key in a file of another name.
 */
export async function buildSkill(options: SkillOptions): Promise<Built> {
  const { path, folder, onWarning } = options;
  const all = await topLevelFiles(path);
  const files = all.filter((file) => !holdsKeys(file));
  for (const { name } of all.filter(holdsKeys)) {
    onWarning?.({
      code: 'W-SEC-004',
      message: `'${shorten(name, 100)}' is left out of the skill: it is a file that holds keys`,
    });
  }
  const texts = files.filter(({ name }) => name.toLowerCase() === 'skill.md');
  const [text] = texts;
  if (text === undefined) {
    throw new MurError('E-IO-001', `SKILL.md not found in ${path} (case-insensitive search found no match)`);
  }
  const declared = files.find(({ name }) => name === 'murmur.yaml');
  const manifestText = declared === undefined ? generated(options) : utf8(declared.bytes, `${path}/murmur.yaml`);
  const declaration = parseDeclaration(manifestText, folder);
  const { manifest } = declaration;
  if (manifest.runtime !== 'skill') {
    throw new MurError(
      'E-MAN-003',
      `murmur.yaml: field 'runtime' has invalid value '${manifest.runtime}' (expected skill)`,
    );
  }
  for (const warning of secretWarnings(declaration.tree)) onWarning?.(warning);
  const output = join(folder, archiveFileName(declaration));
  const own = { ...declaration, manifest: { ...manifest, requiresFiles: [] }, packaging: 'static' as const };
  const {
    entries: [first],
  } = planBuild(own, output);
  const beside = files.filter((file) => file !== declared && !texts.slice(1).includes(file));
  const entries = beside
    .filter(({ name }) => resolve(path, name) !== resolve(output))
    .map((file): PlannedEntry => {
      const name = file === text ? 'skill.md' : file.name;
      return { name, declared: file.name, from: { bytes: file.bytes } };
    })
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  if (texts.length > 1) {
    const [a, b] = texts.map(({ name }) => name).sort();
    throw new MurError('E-BLD-002', `'${a}' and '${b}' both pack as the archive entry 'skill.md'`);
  }
  return pack({ output, entries: [first as PlannedEntry, ...entries], shadowed: [] }, own);
}

/**
 * A name for a skill from its path: lower case, one `-` for whatever a name cannot hold. `My Skill.zip` is `my-skill`. The specification
 * writes `_` there, which its own grammar of names refuses.
 */
export function skillName(path: string): string {
  const name = basename(resolve(path))
    .replace(/\.zip$/i, '')
    .toLowerCase()
    .replace(/[^a-z0-9-]+/g, '-')
    .replace(/-{2,}/g, '-')
    .replace(/^-+|-+$/g, '');
  return name === '' ? 'skill' : name;
}

function generated({ path, name = skillName(path), version, summary }: SkillOptions): string {
  const problem = versionProblem(version);
  if (problem !== undefined) throw new MurError('E-MAN-003', `invalid version '${shorten(version)}': ${problem}`);
  const lines = [`name: ${JSON.stringify(name)}`, `version: ${JSON.stringify(version)}`, 'runtime: skill'];
  if (summary !== undefined) lines.push(`description: ${JSON.stringify(summary)}`);
  return `${lines.join('\n')}\n`;
}

const keyNames =
  /^(?:\.env(?:\.(?!example$|sample$|template$).*)?|\.envrc|\.netrc|\.npmrc|\.pypirc|\.pgpass|\.git|\.git-credentials|id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?|.*\.(?:p12|pfx|jks|kdbx|ppk))$/i;

/** `.env`, `id_rsa` and their like, and whatever holds a private key in PEM. A `.env.example` is none. */
function holdsKeys({ name, bytes }: PackEntry): boolean {
  return (
    keyNames.test(name) || /^-----BEGIN [A-Z ]*PRIVATE KEY-----/m.test(Buffer.from(bytes).toString('latin1', 0, 65_536))
  );
}

/** The regular files at the top of a folder or a zip. Links and folders are passed over. */
async function topLevelFiles(path: string): Promise<PackEntry[]> {
  try {
    if (!statSync(path).isDirectory()) {
      const archive = await openZip(readRegularFile(path, maxFileBytes), path);
      const names = archive.names.filter((name) => !name.includes('/'));
      return await Promise.all(names.map(async (name) => ({ name, bytes: await archive.read(name) })));
    }
    return readdirSync(path, { withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ name }) => ({ name, bytes: contentOf(path, name) }));
  } catch (error) {
    if (isMissing(error)) throw new MurError('E-IO-001', `no folder or zip ${path}`);
    if (error instanceof MurError) throw error;
    throw new MurError('E-IO-003', `failed to read ${path}: ${reasonOf(error)}`, { cause: error });
  }
}

function contentOf(folder: string, name: string): Buffer {
  try {
    return readRegularFile(join(folder, name), maxFileBytes);
  } catch (error) {
    // A name that is no UTF-8 reads as one with this character in it, and no file has that name.
    if (!isMissing(error) || !name.includes('\uFFFD')) throw error;
    throw new MurError('E-BLD-002', `a file in ${folder} has a name that is not valid UTF-8: it reads '${name}'`, {
      hint: 'rename it; the names in an archive are UTF-8',
    });
  }
}

function utf8(bytes: Uint8Array, place: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new MurError('E-MAN-002', `${place} is not valid UTF-8`);
  }
}
