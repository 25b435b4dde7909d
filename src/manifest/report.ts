import { basename } from 'node:path';
import { type ErrorCode, MurError } from '../errors/index.js';
import type { ManifestWarning } from './manifest.js';
import type { Path, Position, Tree } from './tree.js';

/** Makes an error about the value at `path`. */
export type Fault = (path: Path, message: string, options?: { hint?: string; code?: ErrorCode }) => MurError;

/**
 * Where the parser says what it found: errors with the words of spec/manifest.md 1.1 and a position, and warnings.
 * Makes errors, never throws them, so that every `throw` is visible where the rule stands.
 */
export class Report {
  readonly warnings: ManifestWarning[] = [];

  constructor(
    readonly path: string,
    readonly tree: Tree,
  ) {}

  /** A value that a rule rejects. `message` is complete for an artifact entry; elsewhere the field is put in front. */
  readonly fault: Fault = (path, message, options = {}) => {
    const at = this.tree.positionOf(path);
    const text = `${basename(this.path)}: ${wordsFor(path)}${message}`;
    return new MurError(options.code ?? 'E-MAN-003', withPosition(clipped(text), at), {
      ...(options.hint === undefined ? {} : { hint: options.hint }),
      details: details(this.path, at, path),
    });
  };

  /** The same, for a block inside an artifact entry: names the key relative to the entry. */
  readonly entryFault: Fault = (path, message, options) =>
    this.fault(path, `${dotted(path.slice(2))}: ${message}`, options);

  /** `artifacts[0].version`, or `the file` for the whole. */
  fieldName(path: Path): string {
    return path.length === 0 ? 'the file' : dotted(path);
  }

  missing(field: string): MurError {
    const at = this.tree.keyPositionOf([field]);
    return new MurError('E-MAN-001', withPosition(`${basename(this.path)}: missing required field '${field}'`, at), {
      hint: `add "${field}:" to ${basename(this.path)}`,
      details: details(this.path, at, [field]),
    });
  }

  warn(code: ManifestWarning['code'], message: string, path: Path): void {
    const at = this.tree.keyPositionOf(path);
    this.warnings.push({ ...(code === undefined ? {} : { code }), message: clipped(message), ...at });
  }
}

/** `E-MAN-002`: text that is not the YAML we take, or a value of the wrong YAML type. */
export function syntaxFault(
  path: string,
  detail: string,
  at: Position | undefined,
  hint?: string,
  field?: Path,
): MurError {
  const where = at === undefined ? '' : ` at line ${at.line}, column ${at.column}`;
  return new MurError('E-MAN-002', `${basename(path)}: YAML syntax error${where}: ${clipped(detail)}`, {
    ...(hint === undefined ? {} : { hint }),
    details: details(path, at, field),
  });
}

/** `artifacts[0].capabilities.network`: a path as a person reads it. */
export function dotted(path: Path): string {
  return path.map((step, index) => (typeof step === 'number' ? `[${step}]` : index === 0 ? step : `.${step}`)).join('');
}

const inferenceFamily = new Set(['inference', 'context', 'control', 'trace', 'lifecycle', 'observability']);

function wordsFor(path: Path): string {
  if (path[0] === 'artifacts' && typeof path[1] === 'number') {
    return `invalid artifact declaration at index ${path[1]}: `;
  }
  const family = inferenceFamily.has(String(path[0])) ? 'inference' : 'capability';
  return `invalid ${family} config for '${dotted(path)}': `;
}

/** The text with where it stands, when that is known. */
export function withPosition(text: string, at: Position | undefined): string {
  return at === undefined ? text : `${text} (line ${at.line}, column ${at.column})`;
}

/** A message whose middle is left out when the value it quotes is longer than anybody reads; both ends say what is wrong. */
function clipped(text: string): string {
  return text.length <= 1000 ? text : `${text.slice(0, 500)} ... ${text.slice(-400)}`;
}

function details(path: string, at: Position | undefined, field: Path | undefined): Record<string, unknown> {
  return { path, ...at, ...(field === undefined ? {} : { field: dotted(field) }) };
}
