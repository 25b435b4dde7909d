/** Turns the functions of an author into the nine of `murmur:hook/lifecycle@0.9.0`. One that is absent commits nothing. */
import { isObject } from '../lib/json.js';
import { settle } from './loop.js';

type Output = { tag: string; val?: unknown };

/** What an author's function may return, and the case of `hook-output` it becomes. */
const cases: Readonly<Record<string, string>> = {
  replaceContext: 'replace-context',
  writeManifests: 'write-manifests',
  artifact: 'artifact',
  reopenTask: 'reopen-task',
  seedContext: 'seed-context',
  deny: 'deny',
};

const events = [
  'onStage',
  'onSessionStart',
  'onTaskStart',
  'onInference',
  'onToolCall',
  'onShell',
  'onCompaction',
  'onTaskEnd',
  'onSessionEnd',
] as const;

export function serve(author: Readonly<Record<string, unknown>>): Record<string, (event: unknown) => Output> {
  return Object.fromEntries(
    events.map((name) => {
      const react = author[name];
      if (typeof react !== 'function') return [name, (): Output => ({ tag: 'none' })];
      return [name, (event: unknown) => answered(name, () => react(event))];
    }),
  );
}

/** A throw becomes the error text of the WIT result. */
function answered(name: string, react: () => unknown): Output {
  let returned: unknown;
  try {
    returned = settle(react);
  } catch (error) {
    throw error instanceof Error ? `${name}: ${error.message}` : String(error);
  }
  if (returned === undefined || returned === null) return { tag: 'none' };
  const [key, ...more] = isObject(returned) ? Object.keys(returned) : [];
  const tag = key === undefined || more.length > 0 ? undefined : cases[key];
  if (tag === undefined) throw `${name} must return nothing or one of ${Object.keys(cases).join(', ')}`;
  const value = (returned as Record<string, unknown>)[key as string];
  return { tag, val: Array.isArray(value) ? value.map(message) : value };
}

/** A message or tool manifest with every field of its record. */
function message(value: unknown): unknown {
  if (!isObject(value) || 'binaryName' in value) return value;
  return { id: null, sourceId: null, insertedBy: null, ...value };
}
