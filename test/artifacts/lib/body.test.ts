import { expect, test } from 'vitest';
import { errorText, type Part, parts, refuseError } from '../../../artifacts/lib/body.js';
import { encode } from '../../../artifacts/lib/utf8.js';

const read = (...pieces: string[]): Part[] => [...parts(pieces.map(encode))];

test('takes an answer that begins with a brace as one document, blanks and a byte-order mark before it', () => {
  expect(read('\ufeff \n', ' {"a":', '"é"}')).toEqual([{ document: { a: 'é' } }]);
});

test('takes the first element of a list as the document', () => {
  expect(read('[{"error":{"code":400}}]')).toEqual([{ document: { error: { code: 400 } } }]);
});

test('takes anything else as a stream and skips the end marker', () => {
  expect(read('\n', 'data: {"a":1}\n\nda', 'ta: [DONE]\n\n')).toEqual([{ event: { a: 1 } }]);
});

test('refuses an event or a document that is no JSON object, showing its beginning', () => {
  expect(() => read('data: oops\n\n')).toThrow('an event that is no JSON object: oops');
  expect(() => read('{"a":')).toThrow('the provider\'s answer is no JSON object: {"a":');
});

test('drops an event that the end of the stream cut off', () => {
  expect(read('data: {"a":1}\n\ndata: {"b":')).toEqual([{ event: { a: 1 } }]);
});

test('gives nothing for an empty body', () => {
  expect(read()).toEqual([]);
  expect(read(' \n')).toEqual([]);
});

test('reports an error sent inside a successful answer in each provider shape', () => {
  expect(() => refuseError({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } })).toThrow(
    'overloaded_error: Overloaded',
  );
  expect(() => refuseError({ error: { code: 'server_error', message: 'sorry' } })).toThrow('server_error: sorry');
  expect(() => refuseError({ type: 'error', code: 'rate_limit', message: 'slow down' })).toThrow(
    'rate_limit: slow down',
  );
  expect(() => refuseError({ error: 'model not found' })).toThrow('model not found');
  expect(() => refuseError({ error: null, type: 'message' })).not.toThrow();
});

test('reads an error answer only so far', () => {
  const endless = (function* () {
    for (;;) yield encode('x'.repeat(1000));
  })();
  expect(errorText(endless).length).toBeLessThanOrEqual(16 * 1024);
});
