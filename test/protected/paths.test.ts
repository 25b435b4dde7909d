import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ProtectedPaths } from '../../src/protected/index.js';

let work: string;
beforeAll(() => {
  work = realpathSync(mkdtempSync(join(tmpdir(), 'mur-protected-')));
  mkdirSync(join(work, 'tests', 'deep'), { recursive: true });
  mkdirSync(join(work, 'build', 'tests'), { recursive: true });
  symlinkSync('tests', join(work, 'alias'));
  symlinkSync('tests/deep', join(work, 'inner'));
  symlinkSync('build', join(work, 'linked'));
  symlinkSync('/etc', join(work, 'etc'));
});
afterAll(() => rmSync(work, { recursive: true }));

const matchOf = (rules: readonly string[], candidate: string, options = {}) =>
  new ProtectedPaths(rules, work).match(candidate, options);

describe('a candidate and the rules', () => {
  test.each([
    ['tests', 'tests'],
    ['tests/a', 'tests/a'],
    ['./tests//a/.', 'tests/a'],
    ['build/../tests/a', 'tests/a'],
    ['tests2/../tests', 'tests'],
    ['alias/a', 'tests/a'],
    ['alias', 'tests'],
    ['inner/../a', 'tests/a'],
    ['nowhere/../tests/x', 'tests/x'],
  ])('%s is covered', (candidate, path) => {
    expect(matchOf(['tests'], candidate)).toEqual({ rule: 'tests', path });
  });

  test.each(['', 'tests2', 'build/tests', 'tests/../build', '../tests', '../../etc', 'etc/passwd', '/etc', 'a\0tests'])(
    '%j is not',
    (candidate) => {
      expect(matchOf(['tests'], candidate)).toBeUndefined();
    },
  );

  test('an absolute path counts when it lies in the work folder', () => {
    expect(matchOf(['tests'], join(work, 'tests', 'a'))).toEqual({ rule: 'tests', path: 'tests/a' });
    expect(matchOf(['tests'], join(work, 'alias', 'a'))?.path).toBe('tests/a');
    expect(matchOf(['tests'], join(work, '..', 'tests'))).toBeUndefined();
  });

  test('a rule that is a link covers its own name and what it leads to', () => {
    expect(matchOf(['linked'], 'linked/x')).toEqual({ rule: 'linked', path: 'linked/x' });
    expect(matchOf(['linked'], 'build/x')).toEqual({ rule: 'linked', path: 'build/x' });
  });

  test('the first declared rule wins, and the work folder itself can be one', () => {
    expect(matchOf(['tests/deep', 'tests'], 'tests/deep/a')?.rule).toBe('tests/deep');
    expect(matchOf(['tests', 'tests/deep'], 'tests/deep/a')?.rule).toBe('tests');
    expect(matchOf(['.'], 'anything')).toEqual({ rule: '.', path: 'anything' });
  });

  test('above a rule counts where something would be taken away', () => {
    expect(matchOf(['tests/deep'], 'tests')).toBeUndefined();
    expect(matchOf(['tests/deep'], 'tests', { above: true })).toEqual({ rule: 'tests/deep', path: 'tests' });
    expect(matchOf(['tests/deep'], 'build', { above: true })).toBeUndefined();
  });

  test('a path of a guest that sees one folder only starts there', () => {
    expect(matchOf(['build/tests'], 'tests/a', { base: 'build' })?.path).toBe('build/tests/a');
    expect(matchOf(['tests'], 'tests/a', { base: 'build' })).toBeUndefined();
  });

  test('without rules nothing is looked at', () => {
    expect(matchOf([], 'tests')).toBeUndefined();
  });

  test('whatever is asked, the answer lies under the rule it names', () => {
    const name = fc.constantFrom('tests', 'deep', 'alias', '..', '.', 'x', 'build', '');
    fc.assert(
      fc.property(fc.array(name, { maxLength: 6 }), (names) => {
        const match = matchOf(['tests'], names.join('/'));
        if (match !== undefined) expect(`${match.path}/`).toMatch(/^(tests|alias)\//);
      }),
    );
  });
});

describe('what a guest that sees one folder is told', () => {
  test.each([
    ['.', { all: false, paths: ['tests', 'build/tests'] }],
    ['build', { all: false, paths: ['tests'] }],
    ['tests', { all: true, paths: [] }],
    ['tests/deep', { all: true, paths: [] }],
    ['other', { all: false, paths: [] }],
  ])('%s', (folder, told) => {
    expect(new ProtectedPaths(['tests', 'build/tests'], work).below(folder)).toEqual(told);
  });

  test('a rule that is a link is told under both names', () => {
    expect(new ProtectedPaths(['linked'], work).below('.').paths).toEqual(['linked', 'build']);
  });
});
