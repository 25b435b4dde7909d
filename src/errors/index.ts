/**
 * Errors: one table of codes, one type, one funnel. Not logging and not exit handling (src/cli does both).
 * Read next: table.ts and warnings.ts (the codes), error.ts (the type).
 */
export { type ErrorShape, isMurError, MurError, reasonOf, toMurError } from './error.js';
export { Secret } from './secret.js';
export { type ErrorCode, type ErrorRow, errorTable, type Feature, type KnownErrorCode } from './table.js';
export { type KnownWarningCode, type WarningCode, type WarningRow, warningTable } from './warnings.js';
