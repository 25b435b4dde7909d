import type { ArtifactOrigin, Inventory, InventoryItem } from './definition.js';
import { offeredSchema, readToolManifest } from './manifest.js';

/** One folder of `tools/` with the texts in it. */
export interface InventoryEntry {
  /** Folder name. */
  readonly name: string;
  /** `murmur.yaml`; undefined when it cannot be read. */
  readonly manifestText: string | undefined;
  /** `skill.md`. */
  readonly skillText?: string | undefined;
  /** Lock origin; `operator` for what was staged without a lock. */
  readonly origin: ArtifactOrigin;
}

/** Reads of a `tools/` folder. `HeldDirectory` reads in a closure fit; a missing or unreadable file is undefined. */
export interface ToolsFolder {
  /** Names of the folders in it. */
  folders(): readonly string[];
  read(folder: string, file: 'murmur.yaml' | 'skill.md'): string | undefined;
}

export interface InventoryOptions {
  /** The skill that is the system prompt already. */
  readonly systemPromptSkill?: string | undefined;
}

const runtimePrefix = '[origin: runtime, trust: untrusted]';

/**
 * What the model is offered of `entries` (spec/tools.md section 2): tools and skills in byte order of their names. Drivers,
 * hooks, the system-prompt skill and entries without a readable manifest are left out. The same texts give the same
 * inventory, byte for byte, so provider prompt caches hold.
 */
export function buildInventory(entries: readonly InventoryEntry[], options: InventoryOptions = {}): Inventory {
  const items = entries
    .filter((entry) => entry.name !== options.systemPromptSkill)
    .map(readItem)
    .filter((item) => item !== undefined)
    .sort((a, b) => Buffer.compare(Buffer.from(a.name), Buffer.from(b.name)));
  return { items, definitions: items.map((item) => item.definition) };
}

/** The entries of a `tools/` folder, for `buildInventory`. `originOf` knows the lock. */
export function scanTools(
  folder: ToolsFolder,
  originOf: (name: string) => ArtifactOrigin = () => 'operator',
): InventoryEntry[] {
  return folder.folders().map((name) => ({
    name,
    manifestText: folder.read(name, 'murmur.yaml'),
    skillText: folder.read(name, 'skill.md'),
    origin: originOf(name),
  }));
}

function readItem(entry: InventoryEntry): InventoryItem | undefined {
  const manifest = entry.manifestText === undefined ? undefined : readToolManifest(entry.manifestText);
  if (manifest === undefined || manifest.runtime === 'driver' || manifest.runtime === 'hook') return undefined;
  const isSkill = manifest.runtime === 'skill';
  const own = manifest.description ?? (isSkill ? firstLine(entry.skillText) : undefined);
  const description = entry.origin === 'runtime' ? `${runtimePrefix} ${own ?? ''}`.trim() : own;
  return {
    name: entry.name,
    kind: isSkill ? 'skill' : 'tool',
    version: manifest.version ?? 'unknown',
    implementation: isSkill ? 'skill' : (manifest.implementation ?? implementationOf(manifest.runtime)),
    origin: entry.origin,
    definition: {
      name: entry.name,
      parameters: offeredSchema(isSkill ? undefined : manifest.schema),
      ...(description === undefined ? {} : { description }),
    },
  };
}

/** Older manifests name the implementation as the runtime. */
function implementationOf(runtime: string | undefined): string {
  return runtime === 'native' ? 'native' : 'wasm';
}

function firstLine(text: string | undefined): string | undefined {
  return text
    ?.replace(/^\uFEFF/, '')
    .split('\n')
    .map((line) => line.trim())
    .find((line) => line !== '');
}
