import { describe, expect, it } from 'vitest';
import { wrap } from '../../workers/wrap.js';

const generated = (body: string) =>
  `"use components";\nexport function instantiate(getCoreModule, imports) {\n${body}\n};\n\nexport const _util = {\n  \n}\n`;

describe('wrap', () => {
  it('makes a function expression that returns instantiate', () => {
    const make = new Function(`return ${wrap(generated('return getCoreModule + imports;'))}`)();
    expect(make()(1, 2)).toBe(3);
  });

  it('gives the generated code our decoder, console, timer and copy in the place of the platform', () => {
    const source = wrap(generated('return [new TextDecoder().name, console, setTimeout, memory0.buffer.slice(1, 2)];'));
    const make = new Function('memory0', `return ${source}`)({ buffer: 'bytes' });
    class Ours {
      name = 'ours';
    }
    const copy = (...args: unknown[]) => args;
    expect(make(Ours, 'console', 'timer', copy, () => {})()).toEqual(['ours', 'console', 'timer', ['bytes', 1, 2]]);
  });

  it('settles the count of lifted bytes at every host call', () => {
    let settled = 0;
    const body =
      'function _trackHostOperation(operation) { return operation(); }\nreturn _trackHostOperation(() => 5);';
    const make = new Function(`return ${wrap(generated(body))}`)();
    const settle = () => {
      settled += 1;
    };
    expect(make(undefined, undefined, undefined, undefined, settle)()).toBe(5);
    expect(settled).toBe(1);
  });

  it.each([
    ['no entry', 'export function other() {}'],
    ['two entries', generated('') + generated('')],
    ['an unknown end', 'export function instantiate() {}'],
    ['a rest of module syntax', generated("}\nimport x from 'y';\nfunction f() {")],
  ])('refuses generated code with %s', (_what, source) => {
    expect(() => wrap(source)).toThrow('generated code');
  });
});
