import { isMurError, MurError } from '../errors/index.js';
import { dotted, type Report } from './report.js';
import { partsOf, type z } from './shape.js';
import { nearestKey } from './suggest.js';
import type { Path } from './tree.js';

interface UnknownKey {
  readonly path: Path;
  readonly known: readonly string[];
}

/** More than anybody corrects by hand; a file with more was not written for mur. */
const maxReported = 100;

/** Warns once per key that no schema names (spec/manifest.md section 1.2). `versionNote` is added when there is any; `show` says how a key is quoted. */
export function reportUnknownKeys(
  schema: z.core.$ZodType,
  report: Report,
  versionNote?: (count: number) => string | undefined,
  show: (key: string) => string = (key) => `'${key}'`,
): void {
  const found: UnknownKey[] = [];
  collect(schema, report.tree.root, [], report, found);
  for (const { path, known } of found.slice(0, maxReported)) {
    const key = String(path.at(-1));
    const blockPath = path.slice(0, -1);
    const place = blockPath.length === 0 ? 'at the top level' : `in '${dotted(blockPath)}'`;
    const shown = show(key);
    const shownKey = shown === '' ? '' : ` ${shown}`;
    const near = nearestKey(key, known);
    const advice = near === undefined ? 'it may come from a newer runtime' : `did you mean '${near}'?`;
    report.warn('W-SEC-019', `unknown key${shownKey} ${place} is ignored; ${advice}`, path);
  }
  const rest = found.length - maxReported;
  if (rest > 0) report.warn('W-SEC-019', `${rest} more unknown keys are ignored`, found[maxReported]!.path);
  const note = found.length === 0 ? undefined : versionNote?.(found.length);
  if (note !== undefined) report.warn('W-SEC-019', note, ['mur_version']);
}

/**
 * The refusal, and when the key it is about stands there under a name that is a slip of the pen away, a hint that says so: a
 * manifest that is refused is told of nothing else.
 */
export function withMisspelling(refusal: unknown, schema: z.core.$ZodType, report: Report): unknown {
  const field = isMurError(refusal) ? refusal.details?.field : undefined;
  if (!isMurError(refusal) || typeof field !== 'string') return refusal;
  const found: UnknownKey[] = [];
  collect(schema, report.tree.root, [], report, found);
  for (const { path, known } of found) {
    const key = String(path.at(-1));
    const near = nearestKey(key, known);
    if (near === undefined || !areRelated(field, dotted([...path.slice(0, -1), near]))) continue;
    const line = report.tree.keyPositionOf(path)?.line;
    const { code, message, details, cause } = refusal;
    return new MurError(code, message, {
      hint: `${line === undefined ? 'the file' : `line ${line}`} says '${key}'; did you mean '${near}'?`,
      ...(details === undefined ? {} : { details }),
      cause,
    });
  }
  return refusal;
}

/** Whether one is the other, or a part of it: `inference.driver` and `inference.driver.artifact`. */
function areRelated(a: string, b: string): boolean {
  return a === b || a.startsWith(`${b}.`) || b.startsWith(`${a}.`);
}

function collect(schema: z.core.$ZodType, value: unknown, path: Path, report: Report, found: UnknownKey[]): void {
  if (typeof value !== 'object' || value === null) return;
  const { keys, element } = partsOf(schema);
  if (element !== undefined) {
    for (const [key, item] of Object.entries(value)) {
      collect(element, item, [...path, Array.isArray(value) ? Number(key) : key], report, found);
    }
  }
  if (keys === undefined) return;
  for (const key of report.tree.keysOf(value)) {
    if (!Object.hasOwn(keys, key)) found.push({ path: [...path, key], known: Object.keys(keys) });
    else collect(keys[key]!, (value as Record<string, unknown>)[key], [...path, key], report, found);
  }
}
