/** Writes the reference pages of keys and codes. test/reference/pages.test.ts fails when they are stale. */
import { writeFileSync } from 'node:fs';
import { errorsPage, keysPage } from '../src/reference/index.js';

writeFileSync('src/manifest/reference.md', keysPage());
writeFileSync('src/errors/reference.md', errorsPage());
