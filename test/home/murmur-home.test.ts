import { chmodSync, existsSync, mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ensurePrivateDirectory, locateMurmurHome, murmurHome } from '../../src/home/murmur-home.js';
import { codeOf, temporaryFolder } from './temporary.js';

const modeOf = (path: string): number => statSync(path).mode & 0o777;

test('L24 modes: a wider ~/.murmur is narrowed to 0700', () => {
  const user = temporaryFolder();
  mkdirSync(join(user, '.murmur'));
  chmodSync(join(user, '.murmur'), 0o755);
  const home = murmurHome({ HOME: user });
  expect(modeOf(home.root)).toBe(0o700);
  ensurePrivateDirectory(home.running);
  expect(modeOf(home.running)).toBe(0o700);
});

test('locating the home touches nothing', () => {
  const user = temporaryFolder();
  const home = locateMurmurHome({ HOME: user });
  expect(home).toEqual({
    root: join(user, '.murmur'),
    sessions: join(user, '.murmur/sessions'),
    records: join(user, '.murmur/records'),
    running: join(user, '.murmur/running'),
    compiled: join(user, '.murmur/compiled'),
  });
  expect(existsSync(home.root)).toBe(false);
});

test('uses USERPROFILE when HOME is not set', () => {
  expect(locateMurmurHome({ USERPROFILE: '/users/me' }).root).toBe('/users/me/.murmur');
});

test.each([{}, { HOME: '' }, { HOME: 'relative/home' }])(
  'refuses an environment without an absolute home: %j',
  (env) => {
    expect(codeOf(() => locateMurmurHome(env))).toBe('E-IO-001');
  },
);

test('a home that is a link to a folder elsewhere is used as it is', () => {
  const user = temporaryFolder();
  mkdirSync(join(user, 'disk'));
  symlinkSync('disk', join(user, '.murmur'));
  murmurHome({ HOME: user });
  expect(modeOf(join(user, 'disk'))).toBe(0o700);
});

test('a file where the home should be is an error that names it', () => {
  const user = temporaryFolder();
  writeFileSync(join(user, '.murmur'), '');
  expect(() => murmurHome({ HOME: user })).toThrow(
    `cannot hold the directory ${join(user, '.murmur')}: not a directory`,
  );
});
