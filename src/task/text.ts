/**
 * The longest prefix of `text` that takes at most `maxBytes` in UTF-8 and splits no character. Lone surrogates count as
 * the three bytes of the replacement character they are written as, and come back replaced: the result is well formed.
 */
export function cutBytes(text: string, maxBytes: number): string {
  // A UTF-16 unit takes at most three bytes, so most texts are decided without encoding them.
  const wellFormed = text.toWellFormed();
  if (wellFormed.length * 3 <= maxBytes) return wellFormed;
  const target = new Uint8Array(Math.max(0, maxBytes));
  const { read } = new TextEncoder().encodeInto(wellFormed, target);
  return wellFormed.slice(0, read);
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
