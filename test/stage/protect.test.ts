import { expect, test } from 'vitest';
import { annotationsOf } from '../../src/stage/protect.js';

const tool = (kind: string, schema: object) => ({
  name: kind,
  manifestText: JSON.stringify({ name: kind, version: '1.0.0', runtime: 'tool', input_schema: schema }),
  payload: { kind },
});
const schema = {
  type: 'object',
  properties: {
    path: { type: 'string' },
    log_file: { type: 'string' },
    into: { type: 'string', format: 'murmur-destination' },
  },
};

test('W-SEC-018 names the inputs of a tool whose writes nothing but the check of calls holds', () => {
  const tools = [tool('native', schema), tool('wasm', schema)];
  expect(annotationsOf(tools, false).warnings).toEqual([
    {
      code: 'W-SEC-018',
      message:
        "read_only paths are declared, and the check of calls cannot tell which of these inputs of tool 'native' are written: path, log_file",
    },
  ]);
  expect(annotationsOf(tools, true).warnings).toEqual([]);
  expect(annotationsOf([tool('native', { ...schema, 'murmur-destinations': [] })], false).warnings).toEqual([]);
});

test('every tool has its annotations, one without a schema too', () => {
  const bare = { name: 'bare', manifestText: 'name: bare\n', payload: { kind: 'wasm' } };
  const { annotations } = annotationsOf([tool('wasm', schema), bare], false);
  expect([...annotations.get('wasm')!.destinations]).toEqual(['into']);
  expect(annotations.get('bare')).toMatchObject({ unannotated: [] });
});
