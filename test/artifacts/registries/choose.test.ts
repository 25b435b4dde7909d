import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { chooseRegistry, workspaceRegistry } from '../../../src/artifacts/registries/index.js';
import { temporaryFolder } from './server.js';

const key = { NEXUS_API_KEY: 'k' };

describe('where install and publish go', () => {
  test.each([
    ['nothing said', undefined, undefined, {}, 'local'],
    ['the flag says local, in any case', 'LOCAL', { remoteUrl: 'https://a.example' }, {}, 'local'],
    [
      'the flag is an address',
      'https://b.example/x/',
      { remoteUrl: 'https://a.example' },
      key,
      { url: 'https://b.example/x' },
    ],
    [
      'the workspace has an address',
      undefined,
      { remoteUrl: 'https://a.example', default: 'local' },
      key,
      { url: 'https://a.example', isFromManifest: true },
    ],
    ['the workspace says local', undefined, { default: 'local' }, {}, 'local'],
    ['the workspace says remote', undefined, { default: 'remote' }, key, { url: 'http://localhost:7800' }],
  ])('when %s', (_name, flag, workspace, env, choice) => {
    expect(chooseRegistry(flag, workspace, env)).toEqual(choice);
  });

  test.each([
    [
      'another mode',
      undefined,
      { default: 'official' },
      key,
      "invalid registry.default 'official' (expected local|remote)",
    ],
    [
      'no key',
      'https://a.example',
      undefined,
      {},
      'NEXUS_API_KEY is required for remote registry mode. Set it or use local mode.',
    ],
    ['a blank key', undefined, { default: 'remote' }, { NEXUS_API_KEY: ' ' }, 'NEXUS_API_KEY is required'],
    ['a flag that is no address', 'nexus', undefined, key, "'nexus' is no URL"],
    [
      'http to another machine',
      undefined,
      { remoteUrl: 'http://a.example' },
      key,
      'NEXUS_API_KEY is not sent over http to a.example',
    ],
    [
      'the flag with http',
      'http://10.0.0.1:7800',
      undefined,
      key,
      'NEXUS_API_KEY is not sent over http to 10.0.0.1:7800',
    ],
    ['a path', '/tmp/x', undefined, key, 'invalid --registry (expected an http or https URL)'],
    ['an address of another scheme', undefined, { remoteUrl: 'ftp://a' }, key, 'invalid registry.remote_url'],
  ])('is refused for %s', (_name, flag, workspace, env, text) => {
    expect(() => chooseRegistry(flag, workspace, env)).toThrow(expect.objectContaining({ code: 'E-IO-003' }));
    expect(() => chooseRegistry(flag, workspace, env)).toThrow(text);
  });
});

describe('the registry block of the workspace', () => {
  function read(text: string) {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'murmur.yaml'), text);
    const below = join(folder, 'a', 'b');
    mkdirSync(below, { recursive: true });
    return workspaceRegistry(below);
  }

  test('is that of the nearest murmur.yaml above', () => {
    expect(read('name: x\nregistry: { default: " remote ", remote_url: https://a.example }\n')).toEqual({
      default: 'remote',
      remoteUrl: 'https://a.example',
    });
    expect(read('name: x\nregistry: { remote_url: "" }\n')).toEqual({});
    expect(read('name: x\n')).toBeUndefined();
    expect(read('name: x\nregistry:\n')).toBeUndefined();
  });

  test.each(['registry: local', 'registry: [a]', 'registry: { default: 1 }', 'registry: { remote_url: [a] }'])(
    'is refused when it is %j',
    (text) => {
      expect(() => read(text)).toThrow(expect.objectContaining({ code: 'E-IO-003' }));
    },
  );

  test('of a file that is no YAML is a manifest error', () => {
    expect(() => read('a: [')).toThrow(expect.objectContaining({ code: 'E-MAN-002' }));
  });
});
