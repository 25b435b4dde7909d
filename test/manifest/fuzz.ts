// biome-ignore-all lint/suspicious/noTemplateCurlyInString: manifests write references so
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { isMurError } from '../../src/errors/index.js';
import { parseManifest } from '../../src/manifest/index.js';

/** Longest time one small manifest may take, on a machine that is busy with other tests. */
const maxCaseMs = 5000;

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

const real = [
  'test/manifest/complete.yaml',
  'examples/first/murmur.yaml',
  'examples/claude/murmur.yaml',
  'examples/openai/murmur.yaml',
  'artifacts/mur-tool-files/murmur.yaml',
].map(read);

/** Parses; anything but a value or a coded manifest error, in time and with a message a person can read, is a failure. */
export function survives(text: string): void {
  const started = performance.now();
  try {
    parseManifest(text, { path: 'murmur.yaml', release: '0.1.0' });
  } catch (error) {
    if (!isMurError(error) || !/^E-(MAN-00[123]|CAP-018)$/.test(error.code)) throw error;
    if (!error.message.startsWith('murmur.yaml: ') || error.message.length > 1500) throw error;
    if (/\n\s+at /.test(error.message)) throw error;
  }
  const ms = performance.now() - started;
  if (ms > maxCaseMs) throw new Error(`took ${Math.round(ms)} ms`);
}

/** Characters that mean something in YAML, more often than others. */
const yamlText = fc.string({
  unit: fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...' \n\t:-?[]{},&*!|>\'"%@`#~<=$\\0.\uFEFF\0\u0085') },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        'name',
        'version',
        'artifacts',
        '---',
        '...',
        '<<',
        '!!str',
        '.inf',
        '0x',
        '${X}',
        '*a',
        '&a',
      ),
    },
    { weight: 1, arbitrary: fc.string({ minLength: 1, maxLength: 3, unit: 'binary' }) },
  ),
  maxLength: 200,
});

/** A real manifest as bytes, some of them replaced, removed, doubled or swapped; read back as far as it is UTF-8. */
const mutated = fc
  .record({
    text: fc.constantFrom(...real),
    edits: fc.array(
      fc.record({
        at: fc.nat(),
        length: fc.nat(40),
        bytes: fc.uint8Array({ maxLength: 12 }),
        copyFrom: fc.option(fc.nat()),
      }),
      { minLength: 1, maxLength: 6 },
    ),
  })
  .map(({ text, edits }) => {
    let bytes = Buffer.from(text);
    for (const { at, length, bytes: given, copyFrom } of edits) {
      const start = at % (bytes.length + 1);
      const from = copyFrom === null ? 0 : copyFrom % (bytes.length + 1);
      const piece = copyFrom === null ? given : bytes.subarray(from, from + length);
      bytes = Buffer.concat([
        bytes.subarray(0, start),
        piece,
        bytes.subarray(start + (copyFrom === null ? length : 0)),
      ]);
    }
    return bytes.toString('utf8');
  });

const scalar = fc.oneof(
  fc.string(),
  fc.string({ unit: 'binary' }),
  fc.integer(),
  fc.double(),
  fc.boolean(),
  fc.constant(null),
);
const anyValue = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    scalar,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.string(), tie('value'), { maxKeys: 3 }),
  ),
})).value;

/** Manifests that are nearly right: real keys, wrong values. */
const structured = (paths: readonly string[]) =>
  fc.array(fc.tuple(fc.constantFrom(...paths), anyValue), { minLength: 1, maxLength: 4 }).map((keys) => {
    const blocks = keys.map(([path, value]) =>
      path.split(/\.|(?=\[\])/).reduceRight<unknown>((below, step) => {
        if (step === '[]') return [below];
        return { [step === '*' ? 'a' : step]: below };
      }, value),
    );
    return JSON.stringify(Object.assign({ name: 'a', version: '1' }, ...(blocks as object[])));
  });

/** Every kind of manifest that nobody meant, by name. `paths` are the keys of a manifest. */
export function hostileManifests(paths: readonly string[]): Readonly<Record<string, fc.Arbitrary<string>>> {
  return {
    'any text': yamlText,
    'a real manifest with bytes changed': mutated,
    'any value under any known key': structured(paths),
  };
}
