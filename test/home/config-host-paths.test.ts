import { describe, expect, test } from 'vitest';
import { isMurError } from '../../src/errors/index.js';
import { parseConfig } from '../../src/home/config.js';
import { hostPathsOf } from '../../src/home/config-host-paths.js';

const paths = (text: string) => hostPathsOf(parseConfig(`host_paths: [${text}]`, 'c').hostPaths, '/home/me');

function refusal(text: string): string {
  try {
    return JSON.stringify(paths(text));
  } catch (error) {
    if (isMurError(error)) return `${error.code} ${error.message}`;
    throw error;
  }
}

describe('host_paths', () => {
  test('lend absolute folders, and folders below the home mur runs with', () => {
    expect(
      paths('{ path: ~/data, access: read }, { path: "~", access: read }, { path: /srv//a/./b/, access: read-write }'),
    ).toEqual([
      { declared: '~/data', path: '/home/me/data', access: 'read' },
      { declared: '~', path: '/home/me', access: 'read' },
      { declared: '/srv//a/./b/', path: '/srv/a/b', access: 'read-write' },
    ]);
    expect(paths('{ path: /srv/..foo, access: read }')[0]?.path).toBe('/srv/..foo');
    expect(paths('')).toEqual([]);
  });

  const notAbsolute = 'the path is not absolute';
  test.each([
    ['{ path: /a }', "host_paths[0] '/a': access is missing; it is read or read-write"],
    ['{ access: read }', 'host_paths[0]: path is missing'],
    ['{ path: "", access: read }', 'host_paths[0]: path is missing'],
    ['{ path: ~other/x, access: read }', `host_paths[0] '~other/x': ${notAbsolute}`],
    ['{ path: $HOME/x, access: read }', `host_paths[0] '$HOME/x': ${notAbsolute}`],
    ['{ path: data, access: read }', `host_paths[0] 'data': ${notAbsolute}`],
    ['{ path: ./data, access: read }', `host_paths[0] './data': ${notAbsolute}`],
    ['{ path: /, access: read }', "host_paths[0] '/': the whole file system cannot be lent"],
    ['{ path: /a/.., access: read }', "host_paths[0] '/a/..': the whole file system cannot be lent"],
    ['{ path: ~/../.., access: read }', "host_paths[0] '~/../..': the whole file system cannot be lent"],
    [
      '{ path: /a, access: read }, { path: /b, access: read }, { path: /b/../a/, access: read-write }',
      "host_paths[2] '/b/../a/': names the same folder as host_paths[0]",
    ],
    [
      '{ path: ~/a, access: read }, { path: /home/me/a, access: read }',
      "host_paths[1] '/home/me/a': names the same folder as host_paths[0]",
    ],
  ])('%s is refused', (text, expected) => expect(refusal(text)).toBe(`E-CAP-901 ${expected}`));

  test.each([
    [
      '{ path: /a, access: write }',
      'line 1, column 34: host_paths[0].access: unknown value; expected one of: read, read-write',
    ],
    [
      '{ path: /a, access: read, execute: true }',
      'line 1, column 49: host_paths[0].execute: unknown key; an entry has path and access',
    ],
    ['{ path: 5, access: read }', 'line 1, column 22: host_paths[0].path: expected string, got number'],
    ['/a', 'line 1, column 14: host_paths[0]: expected mapping, got string'],
  ])('%s is no entry', (text, expected) => expect(refusal(text)).toBe(`E-CAP-901 failed to parse c: ${expected}`));
});
