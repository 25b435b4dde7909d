import { describe, expect, test } from 'vitest';
import { checkRequired, type RequiredWarning, warnOncePerTool } from '../../src/tools/index.js';

const needsPathAndText = 'runtime: tool\ninput_schema: { type: object, required: [path, text] }';

describe('checkRequired (spec/tools.md 3.1, 10.4)', () => {
  test.each([
    ['all present', { path: 'a', text: 'b', more: 1 }],
    ['null and empty text count', { path: null, text: '' }],
  ])('passes when %s', (_, input) => {
    expect(checkRequired('write', needsPathAndText, input)).toEqual({ ok: true });
  });

  test('names the tool, what is missing and everything required', () => {
    const check = checkRequired('write', needsPathAndText, { text: 'b' });
    expect(check).toMatchObject({ ok: false, missing: ['path'], required: ['path', 'text'] });
    expect(check.ok ? '' : check.message).toBe(
      "Tool 'write' was not run: its input lacks 'path'. Required: 'path', 'text'. Nothing was changed. Call it again with all of them.",
    );
  });

  test.each([[null], ['text'], [7], [['path', 'text']], [undefined]])('finds every name missing in %j', (input) => {
    expect(checkRequired('write', needsPathAndText, input)).toMatchObject({ ok: false, missing: ['path', 'text'] });
  });

  test('asks for own keys only', () => {
    const manifest = 'input_schema: { required: [constructor, __proto__] }';
    expect(checkRequired('t', manifest, {})).toMatchObject({ missing: ['constructor', '__proto__'] });
    expect(checkRequired('t', manifest, JSON.parse('{"constructor":1,"__proto__":2}'))).toEqual({ ok: true });
  });

  test('reads a schema given as JSON text', () => {
    expect(checkRequired('t', `input_schema: '{"required":["a"]}'`, {})).toMatchObject({ ok: false, missing: ['a'] });
  });

  test.each([
    ['no manifest', undefined],
    ['no schema', 'runtime: tool'],
    ['no required', 'input_schema: { type: object }'],
    ['an empty list', 'input_schema: { required: [] }'],
    ['text that is no JSON', 'input_schema: nonsense'],
    ['a skill', 'runtime: skill\ninput_schema: { required: [a] }'],
  ])('does not judge %s', (_, manifest) => {
    expect(checkRequired('t', manifest, null)).toEqual({ ok: true });
  });

  test.each([
    ['input_schema: [a]'],
    [`input_schema: '[1]'`],
    ['input_schema: { required: a }'],
    ['input_schema: { required: [1] }'],
  ])('warns about %j and does not judge', (manifest) => {
    const check = checkRequired('t', manifest, null);
    expect(check).toMatchObject({ ok: true, warning: { code: 'W-RUN-004' } });
    expect(check.ok && check.warning?.message).toContain("tool 't'");
  });

  test('warns once per tool', () => {
    const warnings: RequiredWarning[] = [];
    const report = warnOncePerTool((warning) => warnings.push(warning));
    for (const tool of ['a', 'a', 'b', 'a']) report(tool, checkRequired(tool, 'input_schema: [x]', {}));
    report('c', checkRequired('c', needsPathAndText, {}));
    expect(warnings.map((warning) => warning.message.match(/tool '(.)'/)?.[1])).toEqual(['a', 'b']);
  });
});
