import type { MurError } from '../errors/index.js';
import type { Warning } from './output.js';
import { block, oneLine } from './safe-text.js';
import type { Glyphs, Style } from './style.js';

/** `note` is worth reading and changes nothing. */
export type Level = 'ok' | 'error' | 'warning' | 'note';

/** One thing that was looked at. */
export interface Finding {
  readonly level: Level;
  /** Without mark and indent; untrusted parts are made safe when it is printed. */
  readonly text: string;
  /** Further lines below it. */
  readonly details?: readonly string[];
  readonly code?: string;
  /** What mends it. */
  readonly fix?: string;
}

/** One block of the output: the same facts for people and as JSON. */
export interface Block {
  /** Key of the JSON object. */
  readonly key: string;
  /** Heading; absent for a block that is one line of its own. */
  readonly title?: string;
  readonly lines: readonly (string | Finding)[];
  readonly json: unknown;
  /** What stderr is told besides. */
  readonly warnings?: readonly Warning[];
  readonly errors?: readonly MurError[];
}

export interface Paint {
  readonly style: Style;
  readonly glyphs: Glyphs;
}

/** The block as text; nothing for one without lines. */
export function blockText({ title, lines }: Block, paint: Paint): string {
  if (lines.length === 0) return '';
  const indent = title === undefined ? '' : '  ';
  const body = lines.flatMap((line) =>
    typeof line === 'string' ? [`${indent}${safe(line)}`] : findingLines(line, indent, paint),
  );
  return [...(title === undefined ? [] : [paint.style.bold(oneLine(title))]), ...body]
    .map((line) => `${line}\n`)
    .join('');
}

export function findingLines({ level, text, details = [] }: Finding, indent: string, paint: Paint): string[] {
  return [`${indent}${mark(level, paint)} ${oneLine(text)}`, ...details.map((line) => `${indent}    ${oneLine(line)}`)];
}

function mark(level: Level, { style, glyphs }: Paint): string {
  switch (level) {
    case 'ok':
      return style.green(glyphs.ok);
    case 'error':
      return style.red(glyphs.failed);
    case 'warning':
      return style.yellow(glyphs.ok === '✓' ? '⚠' : '!');
    case 'note':
      return style.dim(glyphs.dot);
  }
}

/** One line whose columns stay where they are. */
function safe(line: string): string {
  return block(line).replaceAll('\n', ' ').trimEnd();
}
