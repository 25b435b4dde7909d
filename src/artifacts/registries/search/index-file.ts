import { MurError } from '../../../errors/index.js';
import { NoAnswer, serverText } from '../http/failure.js';
import { objectIn, parseAnswer } from '../http/json.js';
import { readEntries } from '../index-entry.js';
import type { IndexEntry } from '../types.js';

const schemaVersion = '1';

/**
 * The rows of an `artifacts-index.json` (spec/artifacts.md section 8.5), or of the bare list a registry answers with. `place` names
 * it in messages; `E-IO-003` for anything else.
 */
export function readIndex(text: string, place: string): readonly IndexEntry[] {
  const fail = (why: string) => new MurError('E-IO-003', `failed to read the artifact index ${place}: ${why}`);
  let value: unknown;
  try {
    value = parseAnswer(text);
  } catch (error) {
    if (error instanceof NoAnswer) throw fail(error.reason);
    throw error;
  }
  const file = objectIn(value);
  if (file !== undefined && file.schema_version !== schemaVersion) {
    const got = serverText(JSON.stringify(file.schema_version) ?? 'none');
    throw fail(`unsupported schema_version ${got} (expected "${schemaVersion}")`);
  }
  const entries = readEntries(file === undefined ? value : file.artifacts);
  if (typeof entries === 'string') throw fail(`it ${entries}`);
  return entries;
}
