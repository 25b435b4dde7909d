import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { nativeInput, nativeResult } from '../../src/shell/index.js';

const answer = (stdout: string, exitCode = 0, stderr = '') => nativeResult('probe', { exitCode, stdout, stderr });

describe('the protocol of native tools (spec/shell.md 7.4)', () => {
  test('stdin is one JSON object', () => {
    expect(JSON.parse(Buffer.from(nativeInput('{"a":1}')).toString())).toEqual({ data: '{"a":1}', log_path: null });
    expect(JSON.parse(Buffer.from(nativeInput(undefined)).toString())).toEqual({ data: null, log_path: null });
  });

  test('nothing on stdout: the exit code decides, stderr is the data', () => {
    expect(answer(' \n')).toMatchObject({ status: 'passed', summary: 'probe exited with code 0', data: undefined });
    expect(answer('', 3, 'why')).toMatchObject({ status: 'error', summary: 'probe exited with code 3', data: 'why' });
  });

  test.each([
    ['{"status":"passed","summary":"s","data":"d"}', { status: 'passed', summary: 's', data: 'd' }],
    ['{"status":"failed"}', { status: 'failed', summary: undefined, data: undefined }],
    ['{"status":"ok","summary":1,"data":null}', { status: 'error', summary: undefined, data: undefined }],
    ['{}', { status: 'error', summary: undefined, data: undefined }],
    ['\n{"status":"passed","data":{"a":[1, 2]}}\n', { status: 'passed', data: '{"a":[1,2]}' }],
    ['{"status":"passed","data":false}', { status: 'passed', data: 'false' }],
    ['{"status":"passed","data_path":"/x","metadata":[["a","b"]],"truncated":true}', { status: 'passed' }],
    ['42', { status: 'error', summary: undefined, data: undefined }],
    ['[{"status":"passed"}]', { status: 'error', summary: undefined, data: undefined }],
    ['null', { status: 'error', summary: undefined, data: undefined }],
  ])('JSON: %s', (stdout, result) => {
    expect(answer(stdout, 1)).toEqual({
      summary: undefined,
      data: undefined,
      ...result,
      truncated: false,
      metadata: [],
    });
  });

  test('other text is the data, as it was written', () => {
    expect(answer(' hello\n')).toMatchObject({ status: 'passed', summary: 'probe completed', data: ' hello\n' });
    expect(answer('{"status":', 2)).toMatchObject({ status: 'error', data: '{"status":' });
  });

  test('data that nests too deep to be written down is a failure', () => {
    const deep = `{"status":"passed","data":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
    expect(answer(deep)).toMatchObject({ status: 'error', data: "native tool 'probe': its data nests too deep" });
  });

  test('any output is some result', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), fc.integer({ min: -1, max: 255 }), (stdout, exitCode) => {
        expect(['passed', 'failed', 'error']).toContain(answer(stdout, exitCode).status);
      }),
    );
  });
});
