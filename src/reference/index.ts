/**
 * What mur says about its own files and codes: JSON Schemas for editors, and the generated pages. Not the checks (src/manifest) and not
 * the codes (src/errors): both are read here. Nothing on the way of `mur run` loads this folder.
 * Read next: schemas.ts (the four files), note.ts and notes/ (a line for each key), messages.ts (what each code says).
 */
export { errorsPage } from './errors-page.js';
export { type JsonSchema, jsonSchemaOf } from './json-schema.js';
export { keysPage } from './keys-page.js';
export { type SchemaName, schemaNames } from './names.js';
