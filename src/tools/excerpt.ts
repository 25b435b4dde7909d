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
