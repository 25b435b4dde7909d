import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MurError, Secret } from '../../src/errors/index.js';
import { redactor } from '../../src/inference/redact.js';
import { isSecretKey, REDACTED, recordCaps, redact, valueCaps } from '../../src/inspect/redact.js';
import { isWellFormed } from '../../src/text/index.js';
import { cpuMs } from '../cpu.js';

const plain = (text: string) => text;
const shown = (value: unknown, caps = valueCaps) => redact(value, plain, caps).value;

describe('keys that name a secret', () => {
  it.each([
    ...[
      'authorization',
      'Authorization',
      'x-api-key',
      'apiKey',
      'API_KEY',
      'cookie',
      'Set-Cookie',
      'token',
      'door_token',
    ],
    ...[
      'client_secret',
      'password',
      'PASSPHRASE',
      'private_key',
      'credentials',
      'AWS_SECRET_ACCESS_KEY',
      'refreshTokens',
    ],
  ])('%s is one', (key) => {
    expect(shown({ [key]: 'v4lue', nested: { [key]: { deep: ['v4lue'] } } })).toEqual({
      [key]: REDACTED,
      nested: { [key]: REDACTED },
    });
  });

  it.each(['credential_source', 'token_type', 'private_names', 'tool_call_id', 'tokenizer', 'key', 'monkey'])(
    '%s is not',
    (key) => {
      expect(isSecretKey(key)).toBe(false);
    },
  );

  it('counts of tokens stay, because they are numbers', () => {
    expect(shown({ input_tokens: 12, maxTokens: null })).toEqual({ input_tokens: 12, maxTokens: null });
  });
});

describe('JSON inside a text', () => {
  it.each<[string, string]>([
    ['{"api_key": "abc", "path": "a"}', '{"api_key": "[redacted]", "path": "a"}'],
    ['{"password":"a\\"b\\\\"}', '{"password":"[redacted]"}'],
    ['call: {"token":"cut in the mid', 'call: {"token":"[redacted]'],
    [
      JSON.stringify({ body: JSON.stringify({ secret: 'abc', n: 1 }) }),
      JSON.stringify({ body: '{"secret":"[redacted]","n":1}' }),
    ],
    ['"max_tokens": 12', '"max_tokens": 12'],
    ['a "quoted": "word"', 'a "quoted": "word"'],
  ])('%s', (text, expected) => {
    expect(shown(text)).toBe(expected);
  });

  it('takes no longer than the text is long', () => {
    const startedAt = cpuMs();
    for (const text of [
      '"a":"'.repeat(5_000),
      '\\"a\\":\\"'.repeat(3_000),
      '"'.repeat(30_000),
      `${'\\'.repeat(30_000)}":`,
    ]) {
      redact(text, plain, recordCaps);
    }
    expect(cpuMs() - startedAt).toBeLessThan(2_000);
  });
});

describe('text of a secret', () => {
  it('is replaced wherever it stands, in keys too', () => {
    const redactText = redactor([new Secret('s3cr3t-value')]);
    const { value } = redact({ 'a s3cr3t-value b': ['x', { url: 'http://h/?k=s3cr3t-value' }] }, redactText);
    expect(JSON.stringify(value)).not.toContain('s3cr3t-value');
    expect(JSON.stringify(value)).toContain(REDACTED);
  });

  it('is replaced when a cap cuts through it, and when replacing makes the text shorter', () => {
    const secret = 'S'.repeat(40) + 'E'.repeat(40);
    const redactText = redactor([new Secret(secret)]);
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 9_000 }), fc.integer({ min: 1, max: 200 }), (before, times) => {
        const text = 'x'.repeat(before) + secret.repeat(times);
        expect(JSON.stringify(redact(text, redactText).value)).not.toMatch(/SE|S{10}|E{10}/);
      }),
      { numRuns: 200 },
    );
  });

  it('goes when it stands behind Bearer or Basic, known or not', () => {
    expect(shown('got 401 for Authorization: Bearer abcdefgh12345678== from host')).toBe(
      `got 401 for Authorization: Bearer ${REDACTED} from host`,
    );
  });
});

describe('values that are no data', () => {
  const trap = () => {
    throw new Error('ran');
  };
  const hostile = new Proxy({}, { get: trap, ownKeys: trap, getPrototypeOf: trap, getOwnPropertyDescriptor: trap });
  const circular: Record<string, unknown> = { name: 'a' };
  circular.self = circular;
  class Widget {
    inner = 'hidden';
    get size(): number {
      return trap();
    }
  }

  it.each<[string, unknown, unknown]>([
    ['a getter is not run', Object.defineProperty({}, 'x', { enumerable: true, get: trap }), { x: '[getter]' }],
    ['toJSON is not run', { toJSON: trap, a: 1 }, { toJSON: '[function]', a: 1 }],
    ['a proxy is not touched', { p: hostile }, { p: '[Proxy]' }],
    ['nor is one above', { p: Object.create(hostile) }, { p: '[object]' }],
    ['a circle ends', circular, { name: 'a', self: '[circular]' }],
    ['big integers are text', { n: 12n }, { n: '12' }],
    ['numbers JSON has not are text', [Number.NaN, -1 / 0], ['NaN', '-Infinity']],
    ['a Secret is redacted', { a: new Secret('k') }, { a: REDACTED }],
    [
      'a class is its name',
      { w: new Widget(), m: new Map(), b: Buffer.from('x') },
      { w: '[Widget]', m: '[Map]', b: '[Buffer]' },
    ],
    [
      'an error is its name, code and message',
      new MurError('E-IO-001', 'gone'),
      { name: 'MurError', message: 'gone', code: 'E-IO-001' },
    ],
    [
      'an error with a throwing message',
      Object.defineProperty(new Error('x'), 'message', { get: trap }),
      { name: 'Error', message: '[getter]' },
    ],
    ['dates are text', [new Date(0), new Date(Number.NaN)], ['1970-01-01T00:00:00.000Z', 'Invalid Date']],
    ['symbols and functions', [Symbol('s'), plain], ['[symbol]', '[function]']],
    ['undefined members are left out', { a: undefined, b: [undefined] }, { b: [null] }],
  ])('%s', (_, value, expected) => {
    expect(JSON.parse(JSON.stringify(shown(value)))).toEqual(expected);
  });

  it('a key named __proto__ is a key', () => {
    const text = JSON.stringify(shown(JSON.parse('{"__proto__": {"polluted": true}}')));
    expect(text).toBe('{"__proto__":{"polluted":true}}');
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });
});

describe('size', () => {
  it('long text is cut and says by how much', () => {
    const { value, cut } = redact({ text: 'a'.repeat(5_000_000) }, plain);
    expect(cut).toBe(5_000_000 - valueCaps.textChars);
    expect(value).toEqual({ text: `${'a'.repeat(valueCaps.textChars)}… (+${cut} characters)` });
  });

  it('no cut leaves half a character', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 5 }), (shift) => {
        const { value } = redact('x'.repeat(shift) + '🎉'.repeat(5_000), plain);
        expect(isWellFormed(value as string)).toBe(true);
      }),
    );
  });

  it('a hundred thousand members, a deep tree and a wide one all end small', () => {
    const wide = Object.fromEntries(Array.from({ length: 100_000 }, (_, i) => [`k${i}`, i]));
    let deep: unknown = 1;
    for (let i = 0; i < 10_000; i += 1) deep = { deep };
    const tree = (depth: number): unknown => (depth === 0 ? 1 : Array.from({ length: 10 }, () => tree(depth - 1)));
    for (const value of [wide, deep, tree(5), Array.from({ length: 5 }, () => wide)]) {
      const result = redact(value, plain);
      expect(JSON.stringify(result.value).length).toBeLessThan(valueCaps.totalChars * 3);
      expect(result.cut).toBeGreaterThan(0);
    }
  });

  it('a small value is whole', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 3 }), (value) => {
        fc.pre(
          !/authorization|cookie|secret|password|api|credential|private|token|bearer|basic/i.test(
            JSON.stringify(value),
          ),
        );
        const result = redact(value, plain, { ...recordCaps, items: 10_000, totalChars: 1e9, textChars: 1e9 });
        expect(result.cut).toBe(0);
        expect(JSON.parse(JSON.stringify(result.value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it('whatever it is given, it answers with JSON and never throws', () => {
    fc.assert(
      fc.property(
        fc.anything({
          withBigInt: true,
          withDate: true,
          withMap: true,
          withSet: true,
          withTypedArray: true,
          withSparseArray: true,
          withNullPrototype: true,
          withObjectString: true,
          withBoxedValues: true,
        }),
        (value) => {
          expect(() => JSON.stringify(redact(value, plain).value)).not.toThrow();
        },
      ),
      { numRuns: 500 },
    );
  });
});
