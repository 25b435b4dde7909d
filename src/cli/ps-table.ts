/**
 * The table of `mur ps` and its JSON (spec/cli.md section 13). Pure: rows and a time in, text out. Scripts cut it by columns, so
 * every width counts. Not the verifying (src/effects) and not the redrawing (ps-watch.ts).
 */
import type { SessionRow } from '../../machines/registry/types.js';
import { oneLine } from './safe-text.js';
import type { Style } from './style.js';
import { cut, displayWidth, pad } from './width.js';

/** A record this reader removed, or found removed by another one at the same moment. */
export interface PrunedRecord {
  readonly sessionId: string;
  readonly reason: string;
  readonly formationId?: string;
}

interface Column {
  readonly title: string;
  readonly width: number;
  readonly cell: (row: SessionRow, nowMs: number) => string;
}

const session: Column = { title: 'SESSION', width: 36, cell: ({ sessionId }) => sessionId };
const capsule: Column = { title: 'CAPSULE', width: 24, cell: (row) => `${row.capsule}@${row.version}` };
const status: Column = { title: 'STATUS', width: 12, cell: (row) => row.status };
const detached: Column = { title: 'DETACHED', width: 8, cell: (row) => (row.detached ? 'yes' : 'no') };
const uptime: Column = {
  title: 'UPTIME',
  width: 9,
  cell: (row, nowMs) => uptimeText(uptimeSeconds(row.startedAt, nowMs)),
};
const formation: Column = { title: 'FORMATION', width: 36, cell: (row) => row.formationId ?? '-' };
const url: Column = { title: 'URL', width: 0, cell: (row) => row.url };

/** Seconds since `startedAt`; `undefined` for a time that cannot be read or is still to come. */
export function uptimeSeconds(startedAt: string, nowMs: number): number | undefined {
  const seconds = Math.floor((nowMs - Date.parse(startedAt)) / 1000);
  return seconds >= 0 ? seconds : undefined;
}

/** `HH:MM:SS`, `Nd HH:MM:SS` past a day, `-` for an unknown one. */
export function uptimeText(seconds: number | undefined): string {
  if (seconds === undefined) return '-';
  const days = Math.floor(seconds / 86_400);
  const parts = [Math.floor(seconds / 3_600) % 24, Math.floor(seconds / 60) % 60, seconds % 60];
  return `${days === 0 ? '' : `${days}d `}${parts.map((part) => String(part).padStart(2, '0')).join(':')}`;
}

export interface TableOptions {
  readonly nowMs: number;
  readonly style: Style;
  /** Shows the FORMATION column although no row has one: a pruned record had. */
  readonly withFormations?: boolean;
  /** Columns of the screen the table must fit. Absent: the fixed columns that scripts cut by. */
  readonly fit?: number;
}

/** The header and one line per row, in the order of `arrange`. */
export function tableLines(rows: readonly SessionRow[], options: TableOptions): string[] {
  const { nowMs, style, fit } = options;
  const hasFormations = options.withFormations === true || rows.some(({ formationId }) => formationId !== undefined);
  const all = [session, capsule, status, detached, uptime, ...(hasFormations ? [formation] : []), url];
  const ordered = arrange(rows);
  const text = (column: Column, row: SessionRow) => oneLine(column.cell(row, nowMs));
  const columns = fit === undefined ? all : fitting(all, ordered, text, fit);
  const line = (cells: readonly string[], paint: (text: string, column: Column) => string): string => {
    const padded = cells.map((cell, index) => pad(cell, columns[index]!.width));
    const plain = padded.join('  ').trimEnd();
    if (fit !== undefined && displayWidth(plain) > fit) return cut(plain, fit);
    return padded
      .map((cell, index) => paint(cell, columns[index]!))
      .join('  ')
      .trimEnd();
  };
  return [
    line(
      columns.map(({ title }) => title),
      (title) => style.dim(title),
    ),
    ...ordered.map((row) =>
      line(
        columns.map((column) => text(column, row)),
        (cell, { title }) =>
          title === status.title ? (row.status === 'running' ? style.green : style.yellow)(cell) : cell,
      ),
    ),
  ];
}

/** Columns as wide as what is in them, without those a narrow screen has no room for. */
function fitting(
  all: readonly Column[],
  rows: readonly SessionRow[],
  text: (column: Column, row: SessionRow) => string,
  fit: number,
): readonly Column[] {
  let columns = all.map((column) => ({
    ...column,
    width: Math.max(column.title.length, ...rows.map((row) => displayWidth(text(column, row)))),
  }));
  for (const least of [detached, url, uptime, formation]) {
    const total = columns.reduce((sum, { width }) => sum + width + 2, -2);
    if (total <= fit) break;
    columns = columns.filter(({ title }) => title !== least.title);
  }
  return columns;
}

/** Newest first; members of one formation together, at the place of their newest. */
export function arrange(rows: readonly SessionRow[]): readonly SessionRow[] {
  const groups = new Map<string, SessionRow[]>();
  for (const row of [...rows].sort((a, b) => (a.sessionId < b.sessionId ? 1 : -1))) {
    const key = row.formationId ?? row.sessionId;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [row]);
    else group.push(row);
  }
  return [...groups.values()].flat();
}

/** One line per formation, listed ones in row order, then those of which every known member was pruned. */
export function formationLines(rows: readonly SessionRow[], pruned: readonly PrunedRecord[]): string[] {
  const ids = new Set([...arrange(rows), ...pruned].flatMap(({ formationId }) => formationId ?? []));
  return [...ids].map((id) => {
    const members = rows.filter(({ formationId }) => formationId === id);
    const prunedNow = pruned.filter(({ formationId }) => formationId === id).length;
    const counts = (['running', 'unreachable'] as const)
      .map((word) => [members.filter((row) => row.status === word).length, word] as const)
      .filter(([number]) => number > 0)
      .map(([number, word]) => `${number} ${word}`);
    const detail = counts.length === 0 ? '' : ` (${counts.join(', ')})`;
    return `formation ${id}: ${members.length} listed${detail}${prunedNow === 0 ? '' : `, ${prunedNow} pruned now`}`;
  });
}

/** `pruned: <id> — <reason>`. */
export function prunedLine({ sessionId, reason, formationId }: PrunedRecord): string {
  return `pruned: ${sessionId} — ${oneLine(reason)}${formationId === undefined ? '' : ` (formation ${formationId})`}`;
}

/** What stderr says of pruned records: each one under `--verbose` or when it is the only one, else one line for all. */
export function prunedLines(pruned: readonly PrunedRecord[], isVerbose: boolean): string[] {
  if (isVerbose || pruned.length < 2) return pruned.map(prunedLine);
  return [`pruned: ${pruned.length} records of processes that are gone (mur ps --verbose names them)`];
}

/** A row as a program reads it. Never holds a token. */
export function rowJson(row: SessionRow, nowMs: number): Record<string, unknown> {
  return {
    session_id: row.sessionId,
    capsule: row.capsule,
    version: row.version,
    status: row.status,
    ...(row.reason === null ? {} : { reason: row.reason }),
    detached: row.detached,
    uptime_s: uptimeSeconds(row.startedAt, nowMs) ?? null,
    url: row.url,
    workdir: row.workdir,
    ...(row.formationId === undefined ? {} : { formation_id: row.formationId }),
  };
}
