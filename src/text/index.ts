/**
 * Text that crosses a border: cut at a byte limit, shown on a terminal, read back from files of JSON lines; quantities as people
 * read them (measure.ts). Pure, except for reading those files. Not parsing of manifests (src/manifest). Read next: the one file
 * you need.
 */
export { safeForTerminal } from './display.js';
export { fieldsOf, parsedJson } from './fields.js';
export { sha256Hex } from './hash.js';
export { type JsonLine, readJsonLines } from './json-lines.js';
export { isNestedTooDeep, maxJsonLevels } from './nesting.js';
export { shorten } from './shorten.js';
export { isWellFormed, toWellFormed, truncateUtf8, truncateUtf8Bytes } from './truncate.js';
