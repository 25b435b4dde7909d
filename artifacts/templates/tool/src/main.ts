import { fail, files } from 'mur:tool';

interface Input {
  /** A text file of the work folder. */
  path: string;
}

/** Counts the lines and words of a text file, and finds its longest word. */
export function run({ path }: Input) {
  const text = files.readText(path).trim();
  if (text === '') fail(`${path} is empty; name a file with text in it`);
  const words = text.split(/\s+/);
  const longest = words.reduce((best, word) => (word.length > best.length ? word : best));
  return { lines: text.split('\n').length, words: words.length, longest };
}
