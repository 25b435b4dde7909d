/** `<stem>.meta.json`: what a store tells of an artifact without opening it. Pure. */
import type { ArtifactMeta } from '../describe.js';

/** `{"meta": {...}}` with the keys of spec/artifacts.md section 6. */
export function writeMeta(meta: ArtifactMeta): string {
  const { artifactRuntime, description, ...rest } = meta;
  const fields = { ...rest, artifact_runtime: artifactRuntime, description: description ?? null };
  return `${JSON.stringify({ meta: fields }, undefined, 2)}\n`;
}

/** What stands in for a description that is not there. */
export function fallbackMeta(name: string, version: string): ArtifactMeta {
  return { name, version, runtime: 'wasm', artifactRuntime: '', platforms: [], tags: [], imports: [], exports: [] };
}

/** The description in `text`; `undefined` when it is none, or one of another artifact. */
export function readMeta(text: string, name: string, version: string): ArtifactMeta | undefined {
  const meta = parse(text);
  if (meta === undefined || meta.name !== name || meta.version !== version) return undefined;
  const { runtime, artifact_runtime: role, description } = meta;
  if (runtime !== 'wasm' && runtime !== 'native' && runtime !== 'static') return undefined;
  return {
    name,
    version,
    runtime,
    artifactRuntime: typeof role === 'string' ? role : '',
    platforms: listOf(meta.platforms, isPair),
    ...(typeof description === 'string' ? { description } : {}),
    tags: listOf(meta.tags, isText),
    imports: listOf(meta.imports, isText),
    exports: listOf(meta.exports, isText),
  };
}

function parse(text: string): Record<string, unknown> | undefined {
  try {
    const root = JSON.parse(text) as { readonly meta?: unknown } | null;
    const meta = root?.meta;
    return typeof meta === 'object' && meta !== null ? (meta as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

function listOf<Item>(value: unknown, is: (item: unknown) => item is Item): readonly Item[] {
  return Array.isArray(value) ? value.filter(is) : [];
}

function isText(item: unknown): item is string {
  return typeof item === 'string';
}

function isPair(item: unknown): item is readonly [string, string] {
  return Array.isArray(item) && item.length === 2 && item.every(isText);
}
