/** Tells whether a line matches a search. Pure. Throws `Failure` for a regular expression that does not compile. */
import { Failure } from '../../../lib/failure.js';

export interface Search {
  readonly pattern: string;
  readonly regex: boolean;
  readonly ignoreCase: boolean;
}

export interface Matcher {
  /** False means that no line of `text` matches; true promises nothing. Spares taking most files apart. */
  mayMatch(text: string): boolean;
  matches(line: string): boolean;
}

export function matcher({ pattern, regex, ignoreCase }: Search): Matcher {
  if (pattern === '') throw new Failure('pattern is empty; give the text to find');
  if (regex) {
    const compiled = compile(pattern, ignoreCase ? 'i' : '');
    return { mayMatch: () => true, matches: (line) => compiled.test(line) };
  }
  const fold = (text: string) => (ignoreCase ? text.toLowerCase() : text);
  const contains = (text: string) => fold(text).includes(fold(pattern));
  return { mayMatch: contains, matches: contains };
}

function compile(pattern: string, flags: string): RegExp {
  try {
    return new RegExp(pattern, flags);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Failure(`pattern is not a regular expression (${reason}); set regex to false to search for it literally`);
  }
}
