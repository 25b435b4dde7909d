/**
 * Turns the transpiler's ES module into one function expression that a `vm.Script` can evaluate with a V8 code cache, and
 * puts our decoder, copy, console and timer in the place of the platform's. Not the evaluation (component.ts).
 */

/** Part of the cache key. Raise it with any change here or in lift.ts that old entries must not survive. */
export const wrapperRevision = 1;

/** Names the wrapped source is called with, in this order. */
export const wrapperParameters = ['TextDecoder', 'console', 'setTimeout', 'murCopy', 'murSettle'] as const;

const entry = 'export function instantiate(';
const tail = /\nexport const _util = \{\s*\}\s*;?\s*$/;
const bufferSlice = /\b(\w+)\.buffer\.slice\(/g;
const hostCall = 'function _trackHostOperation(operation) {';

export class WrapError extends Error {
  override readonly name = 'WrapError';
}

/**
 * The wrapped source. Throws `WrapError` when the generated code lacks a place this needs: then the transpiler changed and
 * running its output would silently drop a guard.
 */
export function wrap(source: string): string {
  const start = source.indexOf(entry);
  if (start < 0 || source.indexOf(entry, start + 1) >= 0)
    throw new WrapError(`generated code has no single "${entry}"`);
  if (!tail.test(source)) throw new WrapError('generated code does not end with "export const _util"');
  let body = source.slice(start + 'export '.length).replace(tail, '\n');
  if (/^\s*(?:import|export)\s/m.test(body)) throw new WrapError('generated code still imports or exports something');
  body = body.replace(bufferSlice, 'murCopy($1.buffer, ');
  const pieces = body.split(hostCall);
  // Absent in a component that imports no function: then there is nothing to settle.
  if (pieces.length > 2) throw new WrapError('generated code tracks host calls in more than one place');
  body = pieces.join(`${hostCall}\nmurSettle();`);
  return `(function(${wrapperParameters.join(', ')}) {\n'use strict';\n${body}\nreturn instantiate;\n})`;
}
