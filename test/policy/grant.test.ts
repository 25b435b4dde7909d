import { describe, expect, test } from 'vitest';
import { artifactGrant, capabilityPolicyFromManifest, parseAllowEntry, startProblem } from '../../src/policy/index.js';
import { capsule, parse } from '../manifest/support.js';

const ceiling = ['example.com', 'https://api.example.net'].map(parseAllowEntry);

function grant(capabilities: string) {
  const [entry] = parse(
    capsule(`artifacts: [{ name: t, version: 1${capabilities === '' ? '' : `, capabilities: { ${capabilities} }`} }]`),
  ).artifacts;
  const { network, ...rest } = artifactGrant(entry!, ceiling);
  return { ...rest, network: network.map((rule) => rule.entry) };
}

describe('the grant of a tool or driver', () => {
  test('without a block is the whole ceiling and the whole work folder', () => {
    expect(grant('')).toEqual({
      network: ['example.com', 'https://api.example.net'],
      filesystemScope: '.',
      warnings: [],
    });
  });

  test('with an empty allow list has no network', () => expect(grant('network: { allow: [] }').network).toEqual([]));

  test('with a network block that names no list keeps the ceiling', () => {
    expect(grant('network: {}').network).toEqual(['example.com', 'https://api.example.net']);
  });

  test('keeps the entries the ceiling covers and says which it dropped', () => {
    expect(
      grant('network: { allow: ["https://example.com", "api.example.net", "sub.example.com", "example.com:8080"] }'),
    ).toEqual({
      network: ['https://example.com', 'example.com:8080'],
      filesystemScope: '.',
      warnings: ['api.example.net', 'sub.example.com'].map((entry) => ({
        code: 'W-SEC-007',
        message: `artifact 't' asks for network entry '${entry}', which capabilities.network.allow does not cover; the entry is dropped`,
      })),
    });
  });

  test('mounts the folder its entry names', () =>
    expect(grant('filesystem: { scope: in/box }').filesystemScope).toBe('in/box'));

  test('says which blocks do nothing on one artifact', () => {
    const { warnings } = grant('env: { allow: [A] }, limits: { instances: 5 }, shell: { allow: [a] }');
    expect(warnings.map(({ code, message }) => `${code} ${message}`)).toEqual(
      ['shell', 'env', 'limits'].map(
        (key) =>
          `W-SEC-008 artifact 't' declares capabilities.${key}, which is granted to the whole capsule only and has no effect here`,
      ),
    );
  });
});

describe('the programs that the component of a tool may start', () => {
  const problem = (entry: string, capabilities: string) => {
    const manifest = parse(
      capsule(`artifacts: [{ name: t, version: 1, capabilities: { ${entry} } }]\ncapabilities: { ${capabilities} }`),
    );
    return startProblem(capabilityPolicyFromManifest(manifest), manifest.artifacts[0]);
  };
  const shell = 'shell: { allow: [git] }';

  test.each([
    ['', shell],
    ['filesystem: {}', shell],
    ['filesystem: { scope: . }', shell],
    ['network: {}', shell],
    ['network: { allow: [a.example] }', shell],
    ['network: { allow: [b.example, a.example] }', `${shell}, network: { allow: [a.example, "https://b.example"] }`],
  ])('are those of the capsule for an entry that takes nothing away: %s', (entry, capabilities) => {
    expect(problem(entry, capabilities)).toBeUndefined();
  });

  test.each([
    ['filesystem: { scope: docs }', shell, 'narrows filesystem.scope,'],
    ['network: { allow: [] }', `${shell}, network: { allow: [a.example] }`, 'narrows network.allow,'],
    ['network: { allow: ["a.example:443"] }', `${shell}, network: { allow: [a.example] }`, 'narrows network.allow,'],
    [
      'filesystem: { scope: d }, network: { allow: [] }',
      `${shell}, network: { allow: [a.example] }`,
      'scope and network',
    ],
    ['', '', 'capabilities.shell.allow names no program'],
  ])('are none for one whose own bounds a command would not know: %s', (entry, capabilities, reason) => {
    expect(problem(entry, capabilities)).toContain(reason);
  });
});
