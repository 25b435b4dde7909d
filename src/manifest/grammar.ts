/** The scalar grammars of spec/manifest.md section 2. Each function answers with a reason, or a value; none throws. */

const plainName = /^[a-z0-9](?:[a-z0-9-]{0,98}[a-z0-9])?$/;

/** Why `text` is no artifact name (`<name>` or `<scope>/<name>`); `undefined` when it is one. */
export function artifactNameProblem(text: string): string | undefined {
  const parts = text.split('/');
  if (parts.length > 2) return 'at most one "/" may separate a scope from a name';
  for (const part of parts) {
    if (!plainName.test(part)) {
      return 'expected 1-100 characters of a-z, 0-9 and "-", with no "-" at either end, optionally behind "<scope>/"';
    }
  }
  return undefined;
}

/** The part of an artifact name that a model calls it by. */
export function toolNameOf(name: string): string {
  return name.slice(name.lastIndexOf('/') + 1);
}

export const credentialName = /^[A-Z_][A-Z0-9_]*$/;

/** The name inside `${NAME}`; `undefined` for any other text, which is then a literal. */
export function referenceName(text: string): string | undefined {
  return /^\$\{([A-Z_][A-Z0-9_]*)\}$/.exec(text)?.[1];
}

/** Why `text` is not one path segment; `undefined` when it is. */
export function pathSegmentProblem(text: string): string | undefined {
  if (text === '') return 'it must not be empty';
  if (/[/\\]/.test(text)) return 'it must not contain a path separator';
  if (text.startsWith('.')) return 'it must not start with "."';
  if (/[\0-\x1f\x7f]/.test(text)) return 'it must not contain control characters';
  return undefined;
}

/**
 * The longest version in bytes. The specification sets no bound; ours leaves room for the longest name and the longest ending in
 * the 255 bytes that a file system gives a file name.
 */
export const maxVersionBytes = 128;

/** Why `text` is no version of an artifact; `undefined` when it is one. A version becomes a folder and a part of file names. */
export function versionProblem(text: string): string | undefined {
  if (Buffer.byteLength(text) > maxVersionBytes) return `it must not be longer than ${maxVersionBytes} bytes`;
  return pathSegmentProblem(text);
}

/** How a workdir subpath leaves the work folder; `undefined` when it stays inside at every step. */
export function subpathProblem(path: string): 'absolute' | 'escapes' | undefined {
  if (/^[/\\]/.test(path) || /^[A-Za-z]:/.test(path)) return 'absolute';
  let depth = 0;
  for (const part of path.split(/[/\\]/)) {
    if (part === '..') depth -= 1;
    else if (part !== '' && part !== '.') depth += 1;
    if (depth < 0) return 'escapes';
  }
  return undefined;
}

const unitSeconds = { s: 1, m: 60, h: 3600, d: 86_400 } as const;
const unitBytes = { Ki: 1024, Mi: 1024 ** 2, Gi: 1024 ** 3 } as const;

/** Seconds of a duration (`90`, `15m`, `30d`); `undefined` when malformed, zero or too large. `units` limits the suffixes. */
export function durationSeconds(value: unknown, units = 'smhd'): number | undefined {
  return scaled(value, new RegExp(`^(\\d+)([${units}]?)$`), unitSeconds);
}

/** Bytes of a size (`1024`, `10Mi`); `undefined` when malformed, zero or too large. */
export function sizeBytes(value: unknown): number | undefined {
  return scaled(value, /^(\d+)(Ki|Mi|Gi)?$/, unitBytes);
}

function scaled(value: unknown, pattern: RegExp, units: Readonly<Record<string, number>>): number | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  const match = pattern.exec(String(value));
  if (match === null) return undefined;
  const result = Number(match[1]) * (units[match[2] ?? ''] ?? 1);
  return Number.isSafeInteger(result) && result > 0 ? result : undefined;
}
