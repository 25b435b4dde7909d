import { expect, test } from 'vitest';
import { labelOfSource } from '../../../src/artifacts/registries/source.js';

test.each([
  ['acme/tools', 'a (github:acme/tools)'],
  ['https://ghp_secret@github.com/acme/tools', 'a'],
  ['ghp_secret@acme/tools', 'a'],
  ['ghp_secret', 'a'],
  [undefined, 'a'],
])('a source with repo %j is called %s', (repo, label) => {
  expect(labelOfSource({ name: 'a', type: 'github', ...(repo === undefined ? {} : { repo }) })).toBe(label);
});
