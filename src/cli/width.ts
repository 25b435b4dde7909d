/** Columns that text takes on a terminal, and cutting and wrapping by columns. Expects text without control characters. */

const zeroWidth = /^[\p{Mark}\p{Cf}]+$/u;
const emoji = /\p{Emoji_Presentation}|\uFE0F/u;
/** East Asian wide and fullwidth blocks (Unicode annex 11). */
const wide =
  /[\u1100-\u115F\u2E80-\u303E\u3041-\u33FF\u3400-\u4DBF\u4E00-\u9FFF\uA000-\uA4CF\uA960-\uA97F\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6\u{17000}-\u{18CFF}\u{1B000}-\u{1B2FF}\u{20000}-\u{3FFFD}]/u;
const ascii = /^[\x20-\x7e]*$/;

let segmenter: Intl.Segmenter | undefined;

/** UTF-16 units looked at in one go: the segmenter takes the square of the length of what it is given. */
const pieceLength = 512;

interface Cluster {
  readonly segment: string;
  readonly index: number;
}

/** What a reader takes for single characters, in order. The same as of the whole text at once: a piece begins where a cluster does. */
export function* clustersOf(text: string): Generator<Cluster> {
  // Made at first use: it costs 10 ms, and most runs show only ASCII.
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  let length = pieceLength;
  for (let start = 0; start < text.length; ) {
    const end = wholeEnd(text, start + length);
    let last: Cluster | undefined;
    for (const { segment, index } of segmenter.segment(text.slice(start, end))) {
      if (last !== undefined) yield last;
      last = { segment, index: start + index };
    }
    if (end >= text.length) {
      if (last !== undefined) yield last;
      return;
    }
    // The last cluster may go on behind the piece; one that fills it all needs a longer one.
    length = last!.index === start ? 2 * length : pieceLength;
    start = last!.index;
  }
}

/** `end`, or one less where it would part a surrogate pair. */
function wholeEnd(text: string, end: number): number {
  return /[\ud800-\udbff]/.test(text[end - 1] ?? '') ? end - 1 : end;
}

/** Columns of `text`. Ambiguous characters count one, as most terminals draw them. */
export function displayWidth(text: string): number {
  if (ascii.test(text)) return text.length;
  let columns = 0;
  for (const { segment } of clustersOf(text)) columns += clusterWidth(segment);
  return columns;
}

function clusterWidth(cluster: string): number {
  if (zeroWidth.test(cluster)) return 0;
  return wide.test(cluster) || emoji.test(cluster) ? 2 : 1;
}

/** `text` in at most `columns` columns; what is cut off is marked by `ellipsis`. */
export function cut(text: string, columns: number, ellipsis = '…'): string {
  if (displayWidth(text) <= columns) return text;
  const mark = displayWidth(ellipsis) <= columns ? ellipsis : '';
  return takeColumns(text, Math.max(0, columns - displayWidth(mark))).trimEnd() + mark;
}

/** `text` followed by spaces up to `columns`. */
export function pad(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - displayWidth(text)));
}

/** The lines of `text`, each at most `columns` wide: broken at spaces, and inside a word only when the word is wider. */
export function wrap(text: string, columns: number): string[] {
  return text.split('\n').flatMap((line) => wrapLine(line, Math.max(1, columns)));
}

function wrapLine(line: string, columns: number): string[] {
  const lines: string[] = [];
  let current = '';
  for (const word of line.split(/(?<= )/)) {
    if (displayWidth(current) + displayWidth(word.trimEnd()) <= columns) {
      current += word;
      continue;
    }
    if (current.trimEnd() !== '') lines.push(current.trimEnd());
    const letters = word.trimEnd();
    const pieces = piecesOf(letters, columns);
    current = (pieces.pop() ?? '') + word.slice(letters.length);
    for (const piece of pieces) lines.push(piece);
  }
  if (current.trimEnd() !== '' || lines.length === 0) lines.push(current.trimEnd());
  return lines;
}

function takeColumns(text: string, columns: number): string {
  if (ascii.test(text)) return text.slice(0, columns);
  let used = 0;
  let end = 0;
  for (const { segment, index } of clustersOf(text)) {
    used += clusterWidth(segment);
    if (used > columns) break;
    end = index + segment.length;
  }
  return text.slice(0, end);
}

/** One word in pieces of at most `columns`, or of one cluster that is wider. Walks over it once: a word may be a megabyte. */
function piecesOf(word: string, columns: number): string[] {
  const pieces: string[] = [];
  if (ascii.test(word)) {
    for (let at = 0; at < word.length; at += columns) pieces.push(word.slice(at, at + columns));
    return pieces;
  }
  let [start, end, used] = [0, 0, 0];
  for (const { segment, index } of clustersOf(word)) {
    const width = clusterWidth(segment);
    if (used + width > columns && end > start) {
      pieces.push(word.slice(start, end));
      [start, used] = [index, 0];
    }
    used += width;
    end = index + segment.length;
  }
  return [...pieces, word.slice(start)];
}
