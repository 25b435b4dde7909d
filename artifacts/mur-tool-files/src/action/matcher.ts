/** Tells whether a line matches a search. Pure. Throws `Failure` for a regular expression that does not compile. */
import { Failure } from '../failure.js';

export interface Search {
  readonly pattern: string;
  readonly regex: boolean;
  readonly ignoreCase: boolean;
}

export function matcher({ pattern, regex, ignoreCase }: Search): (line: string) => boolean {
  if (pattern === '') throw new Failure('pattern is empty; give the text to find');
  if (regex) {
    const compiled = compile(pattern, ignoreCase ? 'i' : '');
    return (line) => compiled.test(line);
  }
  if (!ignoreCase) return (line) => line.includes(pattern);
  const wanted = pattern.toLowerCase();
  return (line) => line.toLowerCase().includes(wanted);
}

function compile(pattern: string, flags: string): RegExp {
  try {
    return new RegExp(pattern, flags);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Failure(`pattern is not a regular expression (${reason}); set regex to false to search for it literally`);
  }
}
