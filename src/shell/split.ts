const blank = /\s/;

/**
 * The words of a command line, split but not interpreted (spec/shell.md 3.1): `a > b` is three words.
 *
 * A backslash takes the next character as it is, also inside either kind of quote; one at the very end stands for itself. Empty words
 * are dropped, and a quote that is never closed runs to the end.
 */
export function splitWords(line: string): string[] {
  const words: string[] = [];
  let word = '';
  let quote: string | undefined;
  const characters = [...line];
  for (let at = 0; at < characters.length; at += 1) {
    const character = characters[at]!;
    if (character === '\\') {
      at += 1;
      word += characters[at] ?? '\\';
    } else if (quote !== undefined) {
      if (character === quote) quote = undefined;
      else word += character;
    } else if (character === '"' || character === "'") quote = character;
    else if (!blank.test(character)) word += character;
    else {
      if (word !== '') words.push(word);
      word = '';
    }
  }
  if (word !== '') words.push(word);
  return words;
}
