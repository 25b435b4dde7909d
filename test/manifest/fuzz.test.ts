// biome-ignore-all lint/suspicious/noTemplateCurlyInString: manifests write references so
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isMurError } from '../../src/errors/index.js';
import { subpathProblem } from '../../src/manifest/grammar.js';
import { parseManifest } from '../../src/manifest/index.js';

const complete = readFileSync(new URL('complete.yaml', import.meta.url), 'utf8');

/** `FUZZ_FACTOR=50` turns a few seconds into a night's search. */
const runs = (count: number) => ({ numRuns: count * Number(process.env.FUZZ_FACTOR ?? 1) });

/** Parses; anything but a value or a coded manifest error is a failure. */
function survives(text: string): void {
  try {
    parseManifest(text, { path: 'murmur.yaml', release: '0.1.0' });
  } catch (error) {
    if (!isMurError(error) || !/^E-(MAN-00[123]|CAP-018)$/.test(error.code)) throw error;
    expect(error.message).toMatch(/^murmur\.yaml: /);
  }
}

/** Characters that mean something in YAML, more often than others. */
const yamlText = fc.string({
  unit: fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...' \n\t:-?[]{},&*!|>\'"%@`#~<=$\\0.\uFEFF') },
    {
      weight: 1,
      arbitrary: fc.constantFrom('name', 'version', 'artifacts', '---', '...', '<<', '!!str', '.inf', '0x', '${X}'),
    },
    { weight: 1, arbitrary: fc.string({ minLength: 1, maxLength: 3 }) },
  ),
  maxLength: 200,
});

const scalar = fc.oneof(fc.string(), fc.integer(), fc.double(), fc.boolean(), fc.constant(null));
const anyValue = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    scalar,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.string(), tie('value'), { maxKeys: 3 }),
  ),
})).value;

describe('the manifest parser answers with a value or a coded error for', () => {
  test('any text', () => {
    fc.assert(fc.property(yamlText, survives), runs(400));
  });

  test('a real manifest with a piece replaced', () => {
    const at = fc.nat(complete.length);
    fc.assert(
      fc.property(at, fc.nat(40), yamlText, (start, length, piece) => {
        survives(complete.slice(0, start) + piece.slice(0, 20) + complete.slice(start + length));
      }),
      runs(150),
    );
  });

  test('any value under any known key', () => {
    const paths = [
      'artifacts',
      'capabilities',
      'network',
      'inference',
      'context',
      'observability',
      'trace',
      'lifecycle',
      'exports',
      'control',
    ];
    fc.assert(
      fc.property(fc.constantFrom(...paths), anyValue, (key, value) => {
        survives(JSON.stringify({ name: 'a', version: '1', [key]: value }));
      }),
      runs(300),
    );
  });
});

test('a subpath that passes never leaves the folder it is joined to', () => {
  const part = fc.constantFrom('a', 'b', '.', '..', '', '...', '.x');
  fc.assert(
    fc.property(fc.array(part, { maxLength: 8 }), (parts) => {
      const path = parts.join('/');
      const resolved = new URL(`file:///root/work/${path}/`).pathname;
      if (subpathProblem(path) === undefined) expect(resolved.startsWith('/root/work/')).toBe(true);
    }),
  );
});
