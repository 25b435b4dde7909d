/** How text may look on one stream. Decided once, from the environment; the renderers only use the answer. */

export interface Style {
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly red: (text: string) => string;
  readonly green: (text: string) => string;
  readonly yellow: (text: string) => string;
  readonly cyan: (text: string) => string;
}

export interface Glyphs {
  readonly ok: string;
  readonly failed: string;
  readonly task: string;
  readonly dot: string;
  readonly ellipsis: string;
  readonly spinner: readonly string[];
}

/** What is known of the stream a text is for. */
export interface StreamFacts {
  readonly isTerminal: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** `--no-color` was given. */
  readonly noColor: boolean;
}

/** True when the stream may be coloured: a terminal that is not dumb, and nobody said no (no-color.org). */
export function wantsColor({ isTerminal, env, noColor }: StreamFacts): boolean {
  return isTerminal && !noColor && !env.NO_COLOR && env.TERM !== 'dumb';
}

/** True when the stream can redraw its last lines. */
export function canRedraw({ isTerminal, env }: StreamFacts): boolean {
  return isTerminal && env.TERM !== 'dumb';
}

export function styleFor(color: boolean): Style {
  const paint = (on: number, off: number) => (text: string) =>
    color && text !== '' ? `\x1b[${on}m${text}\x1b[${off}m` : text;
  return {
    bold: paint(1, 22),
    dim: paint(2, 22),
    red: paint(31, 39),
    green: paint(32, 39),
    yellow: paint(33, 39),
    cyan: paint(36, 39),
  };
}

/** Plain ASCII when the locale names another character set than UTF-8. */
export function glyphsFor(env: Readonly<Record<string, string | undefined>>): Glyphs {
  const locale = env.LC_ALL || env.LC_CTYPE || env.LANG || 'UTF-8';
  if (/utf-?8/i.test(locale)) {
    return { ok: '✓', failed: '✗', task: '▸', dot: '·', ellipsis: '…', spinner: [...'⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏'] };
  }
  return { ok: '+', failed: 'x', task: '>', dot: '-', ellipsis: '...', spinner: [...'|/-\\'] };
}
