import { chmodSync, mkdtempSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Secret } from '../../src/errors/index.js';
import { type CredentialChange, credentialSource } from '../../src/home/credential.js';

let folder = '';
let file = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mur-credential-'));
  file = join(folder, 'config.yaml');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const reference = { kind: 'reference', name: 'MY_KEY' } as const;
const write = (text: string) => writeFileSync(file, text, { mode: 0o600 });

function source(env: Record<string, string> = {}, changes: CredentialChange[] = []) {
  return credentialSource(reference, {
    artifact: 'brain',
    env,
    configFile: file,
    onChange: (change) => changes.push(change),
  });
}

describe('the key of a gateway', () => {
  test('comes from the config file before the environment', () => {
    write('credentials: { MY_KEY: from-file }');
    const { credential, warnings } = source({ MY_KEY: 'from-env' });
    expect([credential.source, credential.current()?.reveal(), warnings]).toEqual(['config', 'from-file', []]);
  });

  test.each(['credentials: { MY_KEY: "" }', 'credentials: { OTHER: x }', ''])(
    'comes from the environment when the file has none: %s',
    (text) => {
      write(text);
      const { credential, warnings } = source({ MY_KEY: ' from-env\n' });
      expect([credential.source, credential.current()?.reveal(), credential.reread()?.reveal()]).toEqual([
        'environment',
        'from-env',
        'from-env',
      ]);
      expect(warnings).toEqual([
        {
          code: 'W-SEC-027',
          message:
            "artifact 'brain': the key comes from the environment variable MY_KEY; it is read once, so a new value needs a new run",
        },
      ]);
    },
  );

  test('that is found nowhere is refused, naming artifact, key and both places', () => {
    for (const env of [{}, { MY_KEY: '' }, { MY_KEY: ' ' }]) {
      expect(() => source(env)).toThrowError(
        expect.objectContaining({
          code: 'E-MAN-003',
          message: `artifact 'brain': gateway.api_key names MY_KEY, which is set neither as credentials.MY_KEY in ${file} nor as the environment variable MY_KEY`,
        }),
      );
    }
  });

  test('written in the manifest is read once, with a warning that does not show it', () => {
    const { credential, warnings } = credentialSource(
      { kind: 'literal', secret: new Secret('sk-secret') },
      { artifact: 'brain', env: {} },
    );
    expect([credential.source, credential.current()?.reveal()]).toEqual(['manifest', 'sk-secret']);
    expect(warnings.map(({ code }) => code)).toEqual(['W-SEC-027']);
    expect(JSON.stringify({ credential, warnings })).not.toContain('sk-secret');
  });

  test('of a keyless gateway is none', () => {
    const { credential } = credentialSource(undefined, { artifact: 'brain', env: { MY_KEY: 'x' } });
    expect([credential.source, credential.current(), credential.reread()]).toEqual(['keyless', undefined, undefined]);
  });

  test('in a file others can read is warned about', () => {
    write('credentials: { MY_KEY: k }');
    chmodSync(file, 0o644);
    expect(source().warnings).toEqual([
      {
        code: 'W-SEC-028',
        message: `${file} holds keys and its mode 0644 lets others of this machine in; run chmod 600 on it`,
      },
    ]);
  });

  test('a config file that cannot be parsed refuses the launch instead of falling back', () => {
    write('credentials: [');
    expect(() => source({ MY_KEY: 'x' })).toThrowError(expect.objectContaining({ code: 'E-IO-003' }));
  });
});

describe('a key in the config file, while the session runs,', () => {
  test('follows a replaced file and an edit of the same size and time', () => {
    const changes: CredentialChange[] = [];
    write('credentials: { MY_KEY: one }');
    utimesSync(file, 1, 1);
    const { credential } = source({}, changes);
    write('credentials: { MY_KEY: two }');
    utimesSync(file, 1, 1);
    expect(credential.current()?.reveal()).toBe('two');
    writeFileSync(join(folder, 'new'), 'credentials: { MY_KEY: three }');
    renameSync(join(folder, 'new'), file);
    expect(credential.reread()?.reveal()).toBe('three');
    expect(changes).toEqual([
      { type: 'rotated', trigger: 'file_changed' },
      { type: 'rotated', trigger: 'rejection' },
    ]);
  });

  test('is kept when the file loses it, which is said once per state of the file (S15)', () => {
    const changes: CredentialChange[] = [];
    write('credentials: { MY_KEY: one }');
    const { credential } = source({}, changes);
    const ask = () => credential.current()?.reveal();
    for (const text of ['credentials: { OTHER: x }', 'credentials: { MY_KEY: "" }', 'credentials: [']) {
      write(text);
      expect([ask(), ask()]).toEqual(['one', 'one']);
    }
    rmSync(file);
    expect([ask(), ask()]).toEqual(['one', 'one']);
    write('credentials: { MY_KEY: one }');
    expect(ask()).toBe('one');
    rmSync(file);
    expect(ask()).toBe('one');
    expect(changes.map((change) => change.type === 'unreadable' && change.reason)).toEqual([
      'no_entry',
      'empty_entry',
      'unparseable',
      'missing',
      'missing',
    ]);
  });

  test('an environment key is never asked for again', () => {
    const env: Record<string, string> = { MY_KEY: 'one' };
    const { credential } = source(env);
    env.MY_KEY = 'two';
    expect(credential.reread()?.reveal()).toBe('one');
  });
});
