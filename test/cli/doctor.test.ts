import { describe, expect, test } from 'vitest';
import { blockText } from '../../src/cli/doctor-block.js';
import { componentFinding } from '../../src/cli/doctor-component.js';
import { interfaceProblem, interfacesBlock } from '../../src/cli/doctor-interfaces.js';
import { glyphsFor, styleFor } from '../../src/cli/style.js';
import { capabilityPolicyFromManifest } from '../../src/policy/index.js';
import { build, guests } from '../fixtures/component/guests.js';
import { shellGuest } from '../fixtures/component/shell-guest.js';
import { capsule, parse as parseManifest } from '../manifest/support.js';

const parse = (yaml: string) => parseManifest(capsule(yaml));

const paint = { style: styleFor(false), glyphs: glyphsFor({ LANG: 'C' }) };

describe('interfaces that are not served', () => {
  test.each<[readonly string[], string | undefined]>([
    [[], undefined],
    [['murmur:tool/run@0.1.0', 'wasi:cli/environment@0.2.9', 'other:thing/x@9.0.0'], undefined],
    [['murmur:tool/run@0.9.0'], 'built against murmur:tool/run@0.9.0, this mur serves murmur:tool@0.1.0'],
    [['murmur:tool/run'], 'built against murmur:tool/run, this mur serves murmur:tool@0.1.0'],
    [['murmur:moon/phase@1.0.0'], 'built against murmur:moon/phase@1.0.0, this mur serves no version of murmur:moon'],
    [
      ['murmur:tool/run@0.9.0', 'murmur:task/task@0.9.0', 'murmur:tool/run@0.9.0', 'murmur:moon/phase@1.0.0'],
      'built against murmur:tool/run@0.9.0, this mur serves murmur:tool@0.1.0 (+2 more)',
    ],
    [
      ['murmur:constructor/x@0.1.0'],
      'built against murmur:constructor/x@0.1.0, this mur serves no version of murmur:constructor',
    ],
  ])('%j', (interfaces, problem) => {
    expect(interfaceProblem(interfaces)).toBe(problem);
  });

  test('are told by their recorded WIT for what nobody declares, and the block is left out when there is none', () => {
    const meta = {
      name: 'old',
      version: '1.0.0',
      runtime: 'wasm',
      artifactRuntime: 'tool',
      platforms: [],
      tags: [],
    } as const;
    const installed = [
      { scope: 'global', row: { meta: { ...meta, imports: [], exports: ['murmur:tool/run@0.9.0'] }, path: '/x' } },
    ] as const;
    expect(
      blockText(
        interfacesBlock(installed, () => false),
        paint,
      ),
    ).toBe(
      'Interface versions\n  ! warning[W-REG-003]: old@1.0.0 (global) is built against murmur:tool/run@0.9.0, this mur serves murmur:tool@0.1.0\n',
    );
    expect(
      blockText(
        interfacesBlock(installed, () => true),
        paint,
      ),
    ).toBe('');
  });
});

test('a component that starts programs is told of with what it may start, or why it may start none', async () => {
  const bytes = await build(shellGuest('tool', [{ binary: 'git' }]));
  const found = (capabilities: string, component = bytes) => {
    const manifest = parse(`artifacts: [{ name: t, version: 1 }]\ncapabilities: { ${capabilities} }`);
    const policy = capabilityPolicyFromManifest(manifest);
    return componentFinding(manifest.artifacts[0]!, component, { text: 't@1', fix: '', policy });
  };
  expect(found('shell: { allow: [git, sh] }')).toEqual({
    level: 'ok',
    text: 't@1',
    details: ['asks to start programs (murmur:shell/execute): git, sh'],
  });
  expect(found('')).toMatchObject({
    level: 'warning',
    code: 'W-SEC-906',
    text: expect.stringContaining('may start none: capabilities.shell.allow names no program'),
    fix: expect.stringContaining('capabilities.shell.allow'),
  });
  expect(found('shell: { allow: [git] }', await build(guests.echo))).toEqual({ level: 'ok', text: 't@1' });
});

test('no text of an artifact reaches the terminal as anything but text', () => {
  const nasty = 'a\x1b[31m\nb\x07\u202e';
  const text = blockText(
    { key: 'k', title: nasty, lines: [nasty, { level: 'error', text: nasty, details: [nasty] }], json: null },
    paint,
  );
  expect(text.split('\n')).toHaveLength(5);
  expect(text).not.toMatch(/[\x00-\x09\x0b-\x1f\u202e]/);
});
