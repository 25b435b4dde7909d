// biome-ignore-all lint/suspicious/noTemplateCurlyInString: config files write references so
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isMurError } from '../../src/errors/index.js';
import { parseConfig } from '../../src/home/config.js';
import { newGlobalText, withItem, withoutItem, withoutValue, withValue } from '../../src/home/config-edit.js';
import { builtInConfig } from '../../src/home/config-merge.js';

const file = `# head
registry:
  default: internal # why
  sources:
    - { name: internal, type: github, repo: acme/artifacts, token: "\${ACME_GH}" }
    - name: official # kept

# keys
credentials:
  A: 'x' # rotate
inspect: true

# tail
`;

describe('an edit of a config file', () => {
  test('replaces one value and nothing else', () => {
    expect(withValue(file, ['registry', 'default'], 'official', 'c')).toBe(
      file.replace('default: internal', 'default: official'),
    );
    expect(withValue(file, ['credentials', 'A'], 'y', 'c')).toBe(file.replace("'x'", "'y'"));
  });

  test('adds a key at the end of its block, and a block at the end of the file', () => {
    expect(withValue(file, ['credentials', 'B'], 'z', 'c')).toBe(file.replace('# rotate\n', '# rotate\n  B: z\n'));
    expect(withValue('# only a comment\n', ['inference', 'model'], 'm', 'c')).toBe(
      '# only a comment\n\ninference:\n  model: m\n',
    );
    expect(withValue('', ['inference', 'model'], 'm', 'c')).toBe('inference:\n  model: m\n');
    expect(withValue('inference: # none yet\n', ['inference', 'model'], 'm', 'c')).toBe('inference:\n  model: m\n');
    expect(withValue('inference: {}\n', ['inference', 'model'], 'm', 'c')).toBe('inference: { model: m }\n');
  });

  test.each([
    '123',
    'true',
    'null',
    '~',
    '1e3',
    '- a',
    '# x',
    '*a',
    '!b',
    '&c',
    '{',
    'a: b',
    "it's",
    '"',
    ' x ',
    '${A}',
  ])('keeps %j as text', (value) => {
    const text = withValue(file, ['inference', 'model'], value, 'c');
    expect(parseConfig(text, 'c').inference.model).toBe(value.trim());
  });

  test('of any value reads back as that value, with every other key as it was', () => {
    const { credentials: _before, ...others } = parseConfig(file, 'c');
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), (value) => {
        let text: string;
        try {
          text = withValue(file, ['credentials', 'A'], value, 'c');
        } catch (error) {
          // Half a character, which YAML cannot hold.
          expect(isMurError(error) && error.code).toBe('E-IO-003');
          return;
        }
        const { credentials, ...rest } = parseConfig(text, 'c');
        expect(credentials.get('A')?.reveal() ?? '').toBe(value.trim());
        expect(rest).toEqual(others);
      }),
      { numRuns: 1_000 },
    );
  });

  test('of a file that is broken already is refused, and says nothing of its keys', () => {
    expect(() => withValue('credentials: [sk-secret', ['registry', 'default'], 'x', 'c')).toThrow(
      expect.objectContaining({ code: 'E-IO-003', message: expect.not.stringContaining('sk-secret') }),
    );
  });

  test('is taken out again, and an empty block with it', () => {
    const key = ['inference', 'model'] as const;
    expect(withoutValue('# mine\ninference: { model: m, provider: p }\n', key, 'c')).toBe(
      '# mine\ninference: { provider: p }\n',
    );
    expect(withoutValue('inspect: true\ninference:\n  model: m\n', key, 'c')).toBe('inspect: true\n');
    for (const text of ['', 'inference:\n', 'inference: { provider: p }\n', 'inspect: true\n']) {
      expect(withoutValue(text, key, 'c')).toBe(text);
    }
    expect(() => withoutValue('x: &a { model: p }\ninference: *a\n', key, 'c')).toThrow('inference is an alias');
  });

  test('of a block that is an alias is left to a person', () => {
    expect(() => withValue('x: &a { provider: p }\ninference: *a\n', ['inference', 'model'], 'm', 'c')).toThrow(
      'c: inference is an alias, which this command does not change',
    );
  });

  test('adds an item once and removes it wherever it is', () => {
    const key = ['beta', 'enabled'] as const;
    const one = withItem('# mine\n', key, 'a', 'c');
    expect(parseConfig(one, 'c').betaEnabled).toEqual(['a']);
    const two = withItem(one, key, 'b', 'c');
    expect(parseConfig(two, 'c').betaEnabled).toEqual(['a', 'b']);
    expect(withItem(two, key, 'a', 'c')).toBe(two);
    expect(parseConfig(withoutItem(two, key, 'a', 'c'), 'c').betaEnabled).toEqual(['b']);
    expect(withoutItem(two, key, 'z', 'c')).toBe(two);
    expect(withoutItem('', key, 'a', 'c')).toBe('');
    expect(withoutItem('beta: { enabled: [a, b, a] } # why\n', key, 'a', 'c')).toBe('beta: { enabled: [ b ] } # why\n');
    expect(two).toContain('# mine');
  });
});

test('a new global file names the built-in sources', () => {
  const { registry } = parseConfig(newGlobalText(), 'c');
  expect([registry.default, registry.sources]).toEqual([
    builtInConfig.registry.default,
    builtInConfig.registry.sources,
  ]);
});
