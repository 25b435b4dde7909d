import { safeForTerminal } from '../text/display.js';

/** Untrusted text as one line: every run of white space is one space. */
export function oneLine(text: string): string {
  return safeForTerminal(text).replace(/\s+/g, ' ').trim();
}

/** Untrusted text that keeps its lines. Tabs become spaces, so that columns can be counted. */
export function block(text: string): string {
  return safeForTerminal(text).replaceAll('\t', '  ');
}

/**
 * The input of a tool call as one line: `path=notes.md limit=5` for a JSON object, the bare text for anything else.
 * For display only.
 */
export function callInput(input: string): string {
  let value: unknown;
  try {
    value = JSON.parse(input);
  } catch {
    return oneLine(input);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return oneLine(input);
  const pairs = Object.entries(value).map(([key, field]) => {
    return `${key}=${typeof field === 'string' ? field : JSON.stringify(field)}`;
  });
  return oneLine(pairs.join(' '));
}
