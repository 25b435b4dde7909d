import { relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { MurError, reasonOf } from '../../errors/index.js';
import { type CompiledRole, roles } from './roles.js';

export interface Place {
  readonly file: string;
  /** Counted from 1. */
  readonly line?: number;
  /** Counted from 0, as the bundler does. */
  readonly column?: number;
}

export interface FaultContext {
  readonly root: string;
  readonly file: string;
  readonly role: CompiledRole;
  /** Names the author's file exports. */
  readonly exports: readonly string[];
  readonly entryId: string;
}

/** What the bundler reports about one place (rolldown, `RollupLog`). */
interface Report {
  readonly code?: string;
  readonly message?: string;
  readonly id?: string;
  readonly loc?: Place;
}

/** What mends a report, by its code. One that is not here says enough itself. */
const hints: Readonly<Record<string, string>> = {
  PARSE_ERROR: 'that is a mistake in the syntax; an editor or npx tsc --noEmit shows every one of them',
  UNRESOLVED_IMPORT: 'a path counts from the file that names it; a package is installed with npm',
  MISSING_EXPORT: 'types are removed before names are looked up: a type comes in with import type',
};

/** `E-BLD-901` with the place in the form editors open: `src/main.ts:3:9: ...`. */
export function sourceFault(
  message: string,
  place: Place | undefined,
  root: string,
  hint: string | undefined,
): MurError {
  const text = place === undefined ? message : `${placed(place, root)}: ${message}`;
  return new MurError('E-BLD-901', text, hint === undefined ? {} : { hint });
}

/** The first report of a failed bundle. Anything else that was thrown is `E-BLD-901` with its text. */
export function bundleFault(error: unknown, context: FaultContext): MurError {
  const reports = (error as { errors?: readonly Report[] } | undefined)?.errors;
  const [report] = reports ?? [];
  if (report === undefined) return sourceFault(reasonOf(error), { file: context.file }, context.root, undefined);
  if (report.code === 'MISSING_EXPORT' && report.id === context.entryId) return missingExport(context);
  const place = report.loc ?? (report.id === undefined ? undefined : { file: report.id });
  const others = (reports?.length ?? 1) - 1;
  const more = others > 0 ? ` (and ${others} more)` : '';
  return sourceFault(`${firstLine(report.message ?? '')}${more}`, place, context.root, hints[report.code ?? '']);
}

/** `E-BLD-902`: what the source has to export, and what it exports instead. */
export function missingExport({ role, file, root, exports }: Omit<FaultContext, 'entryId'>): MurError {
  const { functions } = roles[role];
  const wanted = functions.length === 1 ? `a function ${functions[0]}` : `one of ${functions.join(', ')}`;
  const found = exports.filter((name) => name !== '*').join(', ') || 'nothing';
  const [first] = functions;
  return new MurError('E-BLD-902', `${relative(root, file)}: a ${role} exports ${wanted}; this one exports ${found}`, {
    hint: `write: export function ${functions.length === 1 ? first : 'onTaskEnd'}(${role === 'tool' ? 'input' : role === 'driver' ? 'request' : 'event'}) { ... }`,
  });
}

function placed({ file, line, column }: Place, root: string): string {
  const name = relative(root, file);
  return line === undefined ? name : `${name}:${line}:${(column ?? 0) + 1}`;
}

/** The sentence of a report without its frame of source lines and its code in brackets. */
function firstLine(message: string): string {
  const plain = stripVTControlCharacters(message).trim();
  const [line = ''] = plain.split('\n');
  return line.replace(/^\[[A-Z_]+\]\s*/, '').replaceAll('`', "'") || 'the source cannot be read';
}
