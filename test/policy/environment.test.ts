import { describe, expect, test } from 'vitest';
import {
  credentialPatterns,
  guestEnvironment,
  looksLikeCredential,
  matchesPattern,
  stripRule,
} from '../../src/policy/index.js';

const host = {
  REGION: 'eu',
  EMPTY: '',
  OPENAI_API_KEY: 'k',
  AWS_REGION: 'r',
  MYCO_X: 'x',
  MURMUR_SPAWNER: 's',
  MURMUR_MEMORY_LOG_PATH: 'p',
  SECRET: 'never named',
};
const see = (envAllow: string[], shellStripEnv: string[] = []) => guestEnvironment({ envAllow, shellStripEnv }, host);

describe('a guest sees of the host environment', () => {
  test('nothing that is not named', () => expect(see([])).toEqual([]));

  test('what is named and set, in declaration order, once', () => {
    expect(see(['REGION', 'EMPTY', 'UNSET', 'REGION'])).toEqual([
      ['REGION', 'eu'],
      ['EMPTY', ''],
    ]);
  });

  test('no credential, whatever is named', () => expect(see(['OPENAI_API_KEY', 'AWS_REGION'])).toEqual([]));

  test('nothing strip_env removes', () => expect(see(['MYCO_X', 'REGION'], ['MYCO_*'])).toEqual([['REGION', 'eu']]));

  test('no word of the runtime or its launcher, but variables of single artifacts', () => {
    expect(see(['MURMUR_SPAWNER', 'MURMUR_MEMORY_LOG_PATH'])).toEqual([['MURMUR_MEMORY_LOG_PATH', 'p']]);
  });

  test('nothing that every object has', () => expect(see(['constructor', '__proto__', 'toString'])).toEqual([]));
});

describe('a name pattern', () => {
  test.each([
    ['EXACT', 'EXACT', true],
    ['EXACT', 'EXACTLY', false],
    ['AWS_*', 'AWS_REGION', true],
    ['AWS_*', 'MY_AWS_KEY', false],
    ['*_API_KEY', 'X_API_KEY', true],
    ['*_API_KEY', 'API_KEY', false],
    ['*_API_KEY', 'API_KEY_ID', false],
    ['*mid*', 'amidst', true],
    ['*', 'anything', true],
    ['aws_*', 'AWS_REGION', false],
    ['A_*_B', 'A_x_B', false],
  ])('%s on %s is %s', (pattern, name, expected) => expect(matchesPattern(pattern, name)).toBe(expected));

  test('of the backstop: fourteen, and not a name more', () => {
    expect(credentialPatterns).toHaveLength(14);
    for (const name of ['API_KEY_ID', 'MY_AWS_KEY', 'GITHUB_TOKEN_2', 'API_KEY'])
      expect(stripRule(name, [])).toBeUndefined();
    expect(stripRule('DOCKER_HOST', [])).toEqual({ pattern: 'DOCKER_*', source: 'credential backstop' });
  });
});

test.each([
  ['MY_TOKEN', true],
  ['my-api_key', true],
  ['DB_PASSWORD', true],
  ['DB_DSN', true],
  ['AUTH', true],
  ['APP_PAT', true],
  ['AUTHOR', false],
  ['KEYBOARD', false],
  ['PATH', false],
  ['REGION', false],
])('%s reads like a secret: %s', (name, expected) => expect(looksLikeCredential(name)).toBe(expected));
