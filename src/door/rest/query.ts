import { v1State } from '../dialects/index.js';

/** How a parameter is spelled in a query and meant in a request (A2A 1.0, 11.5). */
const readers: Readonly<Record<string, (text: string) => unknown>> = {
  historyLength: readNumber,
  pageSize: readNumber,
  pageToken: (text) => text,
  contextId: (text) => text,
  status: readState,
  statusTimestampAfter: (text) => text,
  includeArtifacts: (text) => (text === 'true' ? true : text === 'false' ? false : text),
};

/**
 * The parameters in the query of `url`, as the operation takes them. What cannot be read as what it should be stays text, and what
 * was given twice is a list: the operation refuses them in its turn, as it would in any binding. Unknown names are ignored.
 */
export function readQuery(url: string): Record<string, unknown> {
  const at = url.indexOf('?');
  if (at === -1) return {};
  const query = new URLSearchParams(url.slice(at + 1));
  const params: Record<string, unknown> = {};
  for (const [name, read] of Object.entries(readers)) {
    const [first, ...more] = query.getAll(name);
    if (first !== undefined) params[name] = more.length === 0 ? read(first) : [first, ...more];
  }
  return params;
}

function readNumber(text: string): unknown {
  return /^-?\d{1,15}$/.test(text) ? Number(text) : text;
}

/** The text of the protocol also writes `working` for `TASK_STATE_WORKING`. */
function readState(text: string): string {
  return /^[a-z]+(-[a-z]+)?$/.test(text) ? v1State(text) : text;
}
