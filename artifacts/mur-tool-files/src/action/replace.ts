/** Replaces the one occurrence of a text. Pure. Throws `Failure` when there is none, or more than one. */
import { Failure } from '../../../lib/failure.js';

export interface Replaced {
  readonly text: string;
  /** Line the replaced text began on, from 1. */
  readonly line: number;
}

export function replaceOnce(text: string, oldText: string, newText: string, path: string): Replaced {
  if (oldText === '')
    throw new Failure('old_text is empty; give the text to replace, or use action write for a new file');
  if (oldText === newText) throw new Failure('old_text and new_text are the same, so nothing would change');
  const places = occurrences(text, oldText);
  const [at] = places;
  if (at === undefined) throw new Failure(`old_text does not occur in ${path}; ${hint(text, oldText)}`);
  if (places.length > 1) {
    const lines = places.slice(0, 10).map((place) => lineAt(text, place));
    throw new Failure(
      `old_text occurs ${places.length} times in ${path} (lines ${lines.join(', ')}${places.length > 10 ? ', ...' : ''}); add text around it until it is unique`,
    );
  }
  return { text: text.slice(0, at) + newText + text.slice(at + oldText.length), line: lineAt(text, at) };
}

/** Every place, overlapping ones included: `aa` is not unique in `aaa`. */
function occurrences(text: string, wanted: string): number[] {
  const places: number[] = [];
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + 1)) places.push(at);
  return places;
}

function lineAt(text: string, at: number): number {
  let line = 1;
  for (let end = text.indexOf('\n'); end !== -1 && end < at; end = text.indexOf('\n', end + 1)) line++;
  return line;
}

function hint(text: string, oldText: string): string {
  if (text.includes('\r\n') && text.replaceAll('\r\n', '\n').includes(oldText)) {
    return 'its lines end in \\r\\n, so old_text must have \\r\\n as well';
  }
  const squeeze = (value: string) => value.replace(/\s+/g, ' ').trim();
  if (squeeze(text).includes(squeeze(oldText)))
    return 'it differs only in blanks or line ends; copy the text exactly as read';
  return 'read the file and copy the text exactly';
}
