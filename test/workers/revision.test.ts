import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { transpilerVersion } from '../../workers/revision.js';

it('names the transpiler that is installed, which is part of every cache key', () => {
  const entry = createRequire(import.meta.url).resolve('@bytecodealliance/jco-transpile');
  const { version } = JSON.parse(readFileSync(join(dirname(entry), '..', 'package.json'), 'utf8'));
  expect(transpilerVersion).toBe(version);
});
