import { describe, expect, test } from 'vitest';
import { capsule, parse } from '../support.js';
import { rows } from './support.js';

describe('section 3, the top level', () => {
  rows('3', [
    ['mur_version: 9.9.9', 'accepted'],
    ['artifacts: []', 'accepted'],
    ['artifacts:', 'E-MAN-002 artifacts'],
    ['capabilities:', 'accepted'],
    ['network:', 'accepted'],
    ['inference:', 'accepted'],
    ['registry: { default: local, remote_url: "https://r.example" }', 'accepted'],
    ['registry: local', 'E-MAN-002 registry'],
    ['config:', 'E-MAN-003 config'],
  ]);

  test('3 without inference it is a script capsule, whatever else it declares', () => {
    expect(parse(capsule('context: { max_tokens: 1 }'))).not.toHaveProperty('inference');
  });
});
