/**
 * The untrusted-content fence (spec/tools.md section 6): marks where text from outside begins and ends, so that a model can
 * tell data from instructions.
 *
 * Does not stop: a model that follows instructions it was told are data, text that imitates the marker in other characters
 * (homoglyphs, invisible characters), or what a tool did while it ran.
 */

const word = '!MURMUR-NEUTRALISED!';
// Without the `u` flag, case-insensitive matching pairs ASCII letters only with ASCII letters.
const forgedMarker = /<(?=\/?untrusted-content)/gi;
const openMarker = /^<untrusted-content source=(.*)>$/;
const closeMarker = '</untrusted-content>';

/** `text` with every forged marker broken by a word behind its `<`. Inserts only; doing it twice changes nothing. */
export function neutralise(text: string): string {
  return text.replace(forgedMarker, `<${word}`);
}

/** `text` between the markers of `source`. Always three parts joined by line feeds, also for empty text. */
export function fence(source: string, text: string): string {
  const label = neutralise(source)
    .replaceAll('>', '_')
    .replace(/[\r\n]/g, ' ');
  return `<untrusted-content source=${label}>\n${neutralise(text)}\n${closeMarker}`;
}

/** Fence sources: who the text comes from. */
export const fenceSource = {
  tool: (name: string) => `tool:${name}`,
  skill: (name: string) => `skill:${name}`,
  task: (origin: string) => `task:${origin}`,
} as const;

/**
 * The source and text of a fenced block, for display only; undefined for other text. What follows the last closing marker
 * is the runtime's and comes back as `after`. Never decide trust by this: the code that fences knows the source.
 */
export function readFence(block: string): { source: string; text: string; after: string } | undefined {
  const firstFeed = block.indexOf('\n');
  const source = openMarker.exec(block.slice(0, Math.max(0, firstFeed)))?.[1];
  const close = block.lastIndexOf(`\n${closeMarker}`);
  if (source === undefined || close < firstFeed) return undefined;
  return {
    source,
    text: block.slice(firstFeed + 1, Math.max(firstFeed + 1, close)),
    after: block.slice(close + 1 + closeMarker.length),
  };
}
