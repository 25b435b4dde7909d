import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { credentialPatterns, stripRule } from '../../src/policy/index.js';
import { baselineNames, commandEnvironment, defaultVariables, overridesProblem } from '../../src/shell/index.js';

const folders = { home: '/r/home', temp: '/tmp', runtime: '/run/s', records: '/r' };
const runtime = {
  HOME: '/r/home',
  USERPROFILE: '/r/home',
  TMPDIR: '/tmp',
  TMP: '/tmp',
  TEMP: '/tmp',
  MURMUR_RUNTIME_DIR: '/run/s',
  MURMUR_RECORDS_DIR: '/r',
};
const build = (
  hostEnv: Record<string, string>,
  lists: { baseline?: string[]; strip?: string[]; overrides?: [string, string][] } = {},
) =>
  commandEnvironment({
    policy: { shellBaselineEnv: lists.baseline ?? [], shellStripEnv: lists.strip ?? [] },
    hostEnv,
    folders,
    ...(lists.overrides && { overrides: lists.overrides }),
  });

describe('the environment of a command (spec/shell.md 4)', () => {
  test('4.6: keeps, drops and replaces as the vector says', () => {
    const env = build(
      { CARGO_HOME: '/c', AWS_PROFILE: 'p', DB: 'x' },
      {
        overrides: [
          ['HOME', '/evil'],
          ['STRIPE_API_KEY', 'k'],
          ['SAFE', '1'],
        ],
        baseline: ['DB', 'HOME'],
        strip: ['MYCO_*', 'CARGO_HOME'],
      },
    );
    expect(env).toEqual({ ...runtime, SAFE: '1', DB: 'x' });
  });

  test('4.2: nine names come from the host when they are set, and no other', () => {
    expect(baselineNames).toEqual('PATH HOME USER LOGNAME LANG LC_ALL CARGO_HOME RUSTUP_HOME TERM'.split(' '));
    const host = Object.fromEntries([...baselineNames, 'SHELL', 'EDITOR', 'SSH_AUTH_SOCK'].map((name) => [name, 'h']));
    expect(build(host)).toEqual({ ...Object.fromEntries(baselineNames.map((name) => [name, 'h'])), ...runtime });
    expect(build({})).toEqual(runtime);
  });

  test('4.1: a host value that baseline_env brings replaces an override', () => {
    const overrides: [string, string][] = [
      ['A', 'override'],
      ['B', 'override'],
    ];
    expect(build({ A: 'host' }, { baseline: ['A', 'B'], overrides })).toMatchObject({ A: 'host', B: 'override' });
  });

  test('4.1: nothing removes or replaces what the runtime sets', () => {
    expect(build({ PATH: '/bin' }, { strip: ['*'], overrides: [['TMPDIR', '/x']] })).toEqual(runtime);
    expect(build({}, { strip: ['HOME', 'TMP*', 'MURMUR_*'] })).toEqual(runtime);
  });

  test('4.4: credentials go whatever asks for them; names that only look alike stay', () => {
    const kept = { API_KEY_ID: '1', MY_AWS_KEY: '1', GITHUB_TOKEN_2: '1', API_KEY: '1' };
    const gone = { AWS_REGION: '1', DOCKER_HOST: '1', GH_TOKEN: '1', X_API_KEY: '1', KUBECONFIG: '1' };
    const all = { ...kept, ...gone };
    expect(build(all, { baseline: Object.keys(all) })).toEqual({ ...kept, ...runtime });
    expect(build({}, { overrides: Object.entries(all) })).toEqual({ ...kept, ...runtime });
    expect(credentialPatterns).toHaveLength(14);
  });

  test('baseline_env cannot ask for a variable the runtime was started with', () => {
    const names = ['MURMUR_DOOR_TOKEN', 'MURMUR_SPAWNER', 'MURMUR_SESSION_ID'];
    const host = Object.fromEntries(names.map((name) => [name, 'secret']));
    expect(build(host, { baseline: names, overrides: [['MURMUR_SESSION_ID', 'ses_own']] })).toEqual({
      ...runtime,
      MURMUR_SESSION_ID: 'ses_own',
    });
  });

  test('7.3: settings are there exactly when the operator gave them, whatever an override says', () => {
    const ask = (settings?: { config?: string; stateDir?: string }) =>
      commandEnvironment({
        policy: { shellBaselineEnv: [], shellStripEnv: ['MURMUR_*'] },
        hostEnv: {},
        folders,
        overrides: [
          ['MURMUR_ARTIFACT_CONFIG', 'forged'],
          ['MURMUR_STATE_DIR', 'forged'],
        ],
        ...(settings && { settings }),
      });
    expect(ask()).toEqual(runtime);
    expect(ask({ config: '{}' })).toEqual({ ...runtime, MURMUR_ARTIFACT_CONFIG: '{}' });
    expect(ask({ stateDir: '/s' })).toEqual({ ...runtime, MURMUR_STATE_DIR: '/s' });
  });

  test('every variable was allowed by some rule, and none matches a pattern', () => {
    const name = fc.oneof(
      fc.constantFrom(...baselineNames, 'DB', 'AWS_X', '__proto__', 'X_API_KEY', 'MURMUR_SPAWNER'),
      fc.string({ minLength: 1, maxLength: 8 }),
    );
    const pairs = fc.array(fc.tuple(name, fc.string()));
    fc.assert(
      fc.property(pairs, pairs, fc.array(name), fc.array(name), (host, overrides, baseline, strip) => {
        const env = build(Object.fromEntries(host), { overrides, baseline, strip });
        expect(env).toMatchObject(runtime);
        const allowed = new Set([...baselineNames, ...baseline, ...overrides.map(([each]) => each)]);
        for (const each of Object.keys(env).filter((key) => !Object.hasOwn(runtime, key))) {
          expect(allowed.has(each)).toBe(true);
          expect(stripRule(each, strip)).toBeUndefined();
        }
      }),
    );
  });

  test('a guest may not hand over what no environment can hold', () => {
    expect(overridesProblem([['A', 'b']])).toBeUndefined();
    expect(overridesProblem([['', 'b']])).toBe('"" is no name of a variable');
    expect(overridesProblem([['A=B', 'b']])).toBe('"A=B" is no name of a variable');
    expect(overridesProblem([['A', 'b\0']])).toBe("the value of variable 'A' holds a NUL byte");
  });
});

describe('variables that commands have unless something else sets them', () => {
  const withDefaults = (strip: string[], overrides: [string, string][]) =>
    commandEnvironment({
      policy: { shellBaselineEnv: [], shellStripEnv: strip },
      hostEnv: { GIT_CONFIG_NOSYSTEM: 'host' },
      defaults: defaultVariables('full'),
      overrides,
      folders,
    });

  test('keep git and OpenSSL from stopping at a file of /etc that may not be read, and are for no other tier', () => {
    expect(withDefaults([], [])).toMatchObject({ GIT_CONFIG_NOSYSTEM: '1', OPENSSL_CONF: '/dev/null' });
    expect((['sealed', 'seccomp', 'none'] as const).map(defaultVariables)).toEqual([[], [], []]);
  });

  test('give way to an override, and to strip_env', () => {
    expect(withDefaults(['OPENSSL_*'], [['GIT_CONFIG_NOSYSTEM', '0']])).toEqual({
      ...runtime,
      GIT_CONFIG_NOSYSTEM: '0',
    });
  });
});
