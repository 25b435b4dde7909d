import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseYaml } from '../../src/manifest/yaml.js';
import { shellToolManifest, shellTools } from '../../src/shell/index.js';
import { isWellFormed } from '../../src/text/index.js';
import { buildInventory } from '../../src/tools/index.js';

describe('shell tools (spec/shell.md 2.1)', () => {
  test('each allowed name is one tool, on the PATH or not; names that are paths are none', () => {
    const { tools, withheld } = shellTools(
      { shellAllow: ['sh', 'no-such-program', '/bin/sh', 'sh', '..', ''] },
      '/bin',
    );
    expect(tools.map(({ name, isShell, path }) => [name, isShell, path !== undefined])).toEqual([
      ['sh', true, true],
      ['no-such-program', false, false],
    ]);
    expect(withheld).toEqual(['/bin/sh', '..', '']);
  });

  test('the manifest is what a tool manifest is, and the model is offered one required string', () => {
    const [item] = buildInventory([{ name: 'git', manifestText: shellToolManifest('git'), origin: 'operator' }]).items;
    expect(item).toMatchObject({ name: 'git', kind: 'tool', version: '0.0.0', implementation: 'native' });
    expect(item?.definition.parameters).toMatchObject({
      type: 'object',
      properties: { command: { type: 'string' } },
      required: ['command'],
    });
  });

  test('says -c for a shell, and a right and a wrong example for any other program', () => {
    expect(shellToolManifest('bash')).toContain('bash -c');
    expect(shellToolManifest('git')).toContain('without a shell');
    expect(shellToolManifest('git')).toMatch(/Right: .*--version.*Wrong: .*git --version/);
  });

  test('is valid YAML for any name that is offered', () => {
    const odd = fc.constantFrom(
      'on',
      '1.10',
      '- a',
      'a: b',
      '#',
      '*x',
      '\u2028',
      '\x85',
      '\x7f',
      '\ufeff',
      "'",
      '"\\',
      '💥',
    );
    const name = fc.oneof(odd, fc.string({ unit: 'binary' }).filter(isWellFormed));
    fc.assert(
      fc.property(name, (name) => {
        for (const { manifest } of shellTools({ shellAllow: [name] }, '').tools) {
          const parsed = parseYaml(manifest, () => false);
          expect(parsed.ok && parsed.tree.root).toMatchObject({ name, version: '0.0.0', runtime: 'tool' });
        }
      }),
    );
  });
});
