/**
 * The longest prefix of `text` that takes at most `maxBytes` in UTF-8 and splits no character (cases/reports row 60). Well
 * formed: a lone surrogate comes back as the replacement character it would be written as.
 */
export function cutBytes(text: string, maxBytes: number): string {
  const target = new Uint8Array(Math.max(0, Math.min(maxBytes, text.length * 3)));
  const { written } = new TextEncoder().encodeInto(text, target);
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(target.subarray(0, written));
}

/** The first `maxCharacters` code points of `text` followed by `mark`; `text` itself when it is not longer. */
export function cutCharacters(text: string, maxCharacters: number, mark = '…'): string {
  if (text.length <= maxCharacters) return text;
  let units = 0;
  let characters = 0;
  for (const character of text) {
    if (characters === maxCharacters) return text.slice(0, units) + mark;
    units += character.length;
    characters += 1;
  }
  return text;
}
