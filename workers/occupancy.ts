/**
 * Token counts of requests and responses: cl100k_base, whatever the model (session.md 6.2). They drive totals, ceilings and
 * compaction; a provider's own counts are only recorded. Exact except where one word, number of blanks or run of signs is
 * longer than `longRun` characters: such a run is counted in pieces, because the merge loop takes time quadratic in its
 * length (200,000 equal letters: a minute).
 */
import { setImmediate as nextTick } from 'node:timers/promises';

const longRun = 256;
const sliceLength = 64 * 1024;

type Count = (text: string) => number;

let loading: Promise<Count> | undefined;

/**
 * The number of tokens in `text`. Text that looks like a special token is counted as the text it is. The first call loads
 * the vocabulary (0.2 s); long text is counted in slices that let other work run in between.
 */
export async function countTokens(text: string): Promise<number> {
  loading ??= load();
  const count = await loading;
  let total = 0;
  for (let start = 0; start < text.length; ) {
    const end = sliceEnd(text, start);
    total += countSlice(text.slice(start, end), count);
    start = end;
    if (start < text.length) await nextTick();
  }
  return total;
}

/** The estimate used when there is no tokenizer: a quarter of the UTF-8 bytes, rounded up. */
export function estimateTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / 4);
}

async function load(): Promise<Count> {
  try {
    const tokenizer = await import('gpt-tokenizer/encoding/cl100k_base');
    const options = { disallowedSpecial: new Set<string>() };
    return (text) => tokenizer.countTokens(text, options);
  } catch {
    return estimateTokens;
  }
}

/**
 * Where the slice that starts at `start` ends: at a blank between a sign and a letter, where no token can span, so that
 * slices add up to the whole. Text without one is cut at the length, never inside a surrogate pair.
 */
function sliceEnd(text: string, start: number): number {
  const limit = start + sliceLength;
  if (limit >= text.length) return text.length;
  for (let at = limit; at > start + sliceLength / 2; at -= 1) {
    if (text[at] === ' ' && /[^\s]/.test(text[at - 1] ?? ' ') && /[a-zA-Z]/.test(text[at + 1] ?? '')) return at;
  }
  return isHighSurrogate(text.charCodeAt(limit - 1)) ? limit - 1 : limit;
}

const longRuns = new RegExp(`\\p{L}{${longRun},}|\\s{${longRun},}|[^\\s\\p{L}\\p{N}]{${longRun},}`, 'gu');

function countSlice(text: string, count: Count): number {
  let total = 0;
  let from = 0;
  for (const match of text.matchAll(longRuns)) {
    total += count(text.slice(from, match.index));
    from = match.index + match[0].length;
    for (const piece of pieces(match[0])) total += count(piece);
  }
  return total + count(text.slice(from));
}

function* pieces(run: string): Generator<string> {
  for (let start = 0; start < run.length; ) {
    let end = Math.min(start + longRun, run.length);
    if (end < run.length && isHighSurrogate(run.charCodeAt(end - 1))) end -= 1;
    yield run.slice(start, end);
    start = end;
  }
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}
