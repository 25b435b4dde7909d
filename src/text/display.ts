/**
 * Untrusted text on a terminal: model output, tool output, names and messages from outside. Not HTML escaping and not secret
 * redaction.
 *
 * Does not stop: letters that look alike, text that imitates our own lines, or very long text.
 */

import { toWellFormed } from './truncate.js';

/** Colour and style sequences. They change nothing but the look, so they are dropped rather than shown. */
const style = /\x1b\[[0-9;:]*m/g;

/**
 * What a terminal would act on, or a reader could not see: C0 and C1 controls except tab and line feed, line and paragraph
 * separators, the controls that reorder text, invisible formatting characters, and tag characters. The joiners inside emoji
 * and Indic words stay.
 */
const unsafe =
  /[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;

/**
 * `text` with everything a terminal would obey made visible: controls as their pictures (`␛`), other characters as
 * `<U+202E>`. Line feeds and tabs stay, CR LF becomes a line feed, lone surrogates become U+FFFD. Doing it twice changes nothing.
 */
export function safeForTerminal(text: string): string {
  let styled = text;
  // Dropping one sequence may join the halves of another. One that is nested deeper than anybody writes is shown instead: each turn takes
  // as long as the text is.
  for (let turn = 0; turn < 8; turn += 1) {
    const plain = styled.replace(style, '');
    if (plain === styled) break;
    styled = plain;
  }
  return toWellFormed(styled).replaceAll('\r\n', '\n').replace(unsafe, pictureOf);
}

function pictureOf(character: string): string {
  const point = character.codePointAt(0)!;
  if (point < 0x20) return String.fromCodePoint(0x2400 + point);
  if (point === 0x7f) return '\u2421';
  return `<U+${point.toString(16).toUpperCase().padStart(4, '0')}>`;
}
