import { describe, expect, test } from 'vitest';
import { releaseWarning } from '../../src/manifest/index.js';
import { editDistance, nearestKey } from '../../src/manifest/suggest.js';
import { agent, capsule, refusal, warningsOf } from './support.js';

describe('an unknown key', () => {
  test.each([
    [
      'at the top',
      'capabilites: {}',
      "unknown key 'capabilites' at the top level is ignored; did you mean 'capabilities'?",
    ],
    [
      'written with a dash',
      'capabilities: { filesystem: { read-only: [a] } }',
      "unknown key 'read-only' in 'capabilities.filesystem' is ignored; did you mean 'read_only'?",
    ],
    [
      'inside an artifact entry',
      'artifacts: [{ name: a, version: 1, capabilities: { netwrok: {} } }]',
      "unknown key 'netwrok' in 'artifacts[0].capabilities' is ignored; did you mean 'network'?",
    ],
    [
      'that is like nothing known',
      'teleport: true',
      "unknown key 'teleport' at the top level is ignored; it may come from a newer runtime",
    ],
    ['that is no string', '1: x', "unknown key '1' at the top level is ignored; it may come from a newer runtime"],
    [
      'named like a part of every object',
      '__proto__: { a: 1 }',
      "unknown key '__proto__' at the top level is ignored; it may come from a newer runtime",
    ],
    [
      'inside a list of grants',
      'capabilities: { shell: { allow: [a], interpreter_runtime: [{ binary: a, dirs: [{ path: /l, list_dir: true, lst_dir: 1 }] }] } }',
      "unknown key 'lst_dir' in 'capabilities.shell.interpreter_runtime[0].dirs[0]' is ignored; did you mean 'list_dir'?",
    ],
    [
      'of a removed feature',
      'trace: { include_tool_output: true }',
      "unknown key 'include_tool_output' in 'trace' is ignored; it may come from a newer runtime",
    ],
  ])('%s is warned about, not refused', (_, lines, message) => {
    expect(warningsOf(capsule(lines))).toEqual([
      { code: 'W-SEC-019', message, line: expect.any(Number), column: expect.any(Number) },
    ]);
  });

  test('in a free-form block is none of our business', () => {
    expect(
      warningsOf(agent('compaction: { driver_config: { anything: { goes: 1 } } }', 'config: { as: well }')),
    ).toEqual([]);
  });

  test('of a manifest for a later release is explained once', () => {
    const text = capsule('mur_version: 9.1.0\nteleport: 1\ntime_travel: 2\n');
    expect(warningsOf(text, '0.4.0').map(({ message }) => message)).toEqual([
      "unknown key 'teleport' at the top level is ignored; it may come from a newer runtime",
      "unknown key 'time_travel' at the top level is ignored; it may come from a newer runtime",
      'the manifest pins mur 9.1.0, this is mur 0.4.0, which does not know 2 keys of it',
    ]);
    expect(warningsOf(text, '9.1.0')).toHaveLength(2);
  });
});

describe('a refusal says when the key it is about is there under a misspelt name:', () => {
  test.each([
    ['a required one', 'nmae: cap\nversion: 1\n', "line 1 says 'nmae'; did you mean 'name'?"],
    ['one of a block', agent().replace('model:', 'modle:'), "line 11 says 'modle'; did you mean 'model'?"],
    ['a block', agent().replace('driver: {', 'drvier: {'), "line 12 says 'drvier'; did you mean 'driver'?"],
    [
      'one of an entry',
      capsule('artifacts: [{ name: a, verion: 1 }]'),
      "line 3 says 'verion'; did you mean 'version'?",
    ],
    ['a block of an entry', agent().replace('gateway:', 'gatway:'), "line 7 says 'gatway'; did you mean 'gateway'?"],
  ])('%s', (_, text, hint) => expect(refusal(text).hint).toBe(hint));

  test('and says nothing of a misspelt key elsewhere', () => {
    expect(refusal(capsule('tarce: {}\nlifecycle: { queue_depth: -1 }')).hint).toBeUndefined();
  });
});

describe('the suggestion', () => {
  test.each([
    ['', '', 0],
    ['abc', 'abc', 0],
    ['abc', 'acb', 1],
    ['abc', 'ab', 1],
    ['ca', 'abc', 3],
    ['kitten', 'sitting', 3],
  ])('counts %s to %s as %i', (a, b, distance) => expect(editDistance(a, b)).toBe(distance));

  test('needs a closer match for a short key', () => {
    expect(nearestKey('abc', ['env', 'xyz'])).toBeUndefined();
    expect(nearestKey('evn', ['env', 'limits'])).toBe('env');
  });

  test('prefers the nearest', () => {
    expect(nearestKey('max_turn', ['max_tokens', 'max_turns'])).toBe('max_turns');
  });
});

test('a manifest that pins another release is named by both versions', () => {
  expect(releaseWarning('0.4.0', '0.1.0')).toEqual({
    message: 'manifest requires mur 0.4.0 but you are running mur 0.1.0',
  });
  expect(releaseWarning('0.1.0', '0.1.0')).toBeUndefined();
  expect(releaseWarning(undefined, '0.1.0')).toBeUndefined();
});
