/**
 * One cache folder for every host of the tests that has no say about its own: a component is compiled once, not once per file. It
 * holds what many processes put there at once, as the folder of a user does. Not a test.
 */
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const sharedCache = join(tmpdir(), `mur-test-components-${process.getuid?.() ?? 'user'}`);
