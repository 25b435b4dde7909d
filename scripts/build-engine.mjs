/**
 * Writes artifacts/engine/quickjs.wasm: the QuickJS runtime that componentize-qjs carries in its binding, changed so that a component
 * built with it is the same bytes every time. Run it after an update of componentize-qjs, then `npm run build:artifacts`.
 *
 * componentize-qjs runs the runtime once at build time and keeps its memory. That memory held two readings of the build machine: the
 * seed of Rust's hash tables and the clock QuickJS seeds `Math.random` with. The changed runtime asks for a constant instead while
 * one of its globals is below zero; src/build/compile/component.ts turns that global positive in the finished component, which from
 * then on reads the real clock and the real randomness.
 */
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { parse, print } from '@bytecodealliance/jco-transpile/wasm-tools';

const engine = new URL('../artifacts/engine/', import.meta.url);
const facts = JSON.parse(readFileSync(new URL('engine.json', engine), 'utf8'));
const sha256 = (bytes) => createHash('sha256').update(bytes).digest('hex');

/** Every core module inside `bytes`, found by its magic and the lengths of its sections. */
function* coreModules(bytes) {
  const magic = Buffer.from('0061736d01000000', 'hex');
  for (let at = bytes.indexOf(magic); at !== -1; at = bytes.indexOf(magic, at + 1)) {
    let end = at + magic.length;
    while (bytes[end] <= 13) {
      let [length, shift, next] = [0, 0, end + 1];
      do {
        length += (bytes[next] & 127) * 2 ** shift;
        shift += 7;
      } while (bytes[next++] & 128);
      if (next + length > bytes.length) break;
      end = next + length;
      const module = bytes.subarray(at, end);
      if (sha256(module) === facts.original) yield module;
    }
  }
}

function binding() {
  const require = createRequire(createRequire(import.meta.url).resolve('componentize-qjs'));
  const libc = process.platform === 'linux' ? '-gnu' : '';
  const name = `@andreiltd/componentize-qjs-binding-${process.platform}-${process.arch}${libc}`;
  return readFileSync(require.resolve(name));
}

const [original] = coreModules(binding());
if (original === undefined) {
  throw new Error(`no runtime with sha256 ${facts.original} in the binding; was componentize-qjs updated?`);
}
let text = await print(original);
for (const [name, [module, field]] of Object.entries({
  'mur-seed': ['wasi:random/insecure-seed@0.2.9', 'insecure-seed'],
  'mur-monotonic': ['wasi:clocks/monotonic-clock@0.2.0', 'now'],
  'mur-wall': ['wasi:clocks/wall-clock@0.2.0', 'now'],
})) {
  const index = new RegExp(`\\(import "${module}" "${field}" \\(func \\(;(\\d+);\\)`).exec(text)?.[1];
  const call = new RegExp(`^( +)call ${index}$`, 'gm');
  if (text.match(call)?.length !== 1) throw new Error(`expected one call of ${module}#${field}`);
  text = text.replace(call, `$1call $${name}`);
  facts[name] = index;
}
const isBuilding = 'global.get $mur-phase i64.const 0 i64.lt_s';
const wrappers = `
  (global $mur-phase i64 (i64.const ${facts.building}))
  (func $mur-seed (param i32)
    ${isBuilding}
    if local.get 0 i64.const 1 i64.store local.get 0 i64.const 2 i64.store offset=8 else local.get 0 call ${facts['mur-seed']} end)
  (func $mur-monotonic (result i64)
    ${isBuilding}
    if (result i64) i64.const 1 else call ${facts['mur-monotonic']} end)
  (func $mur-wall (param i32)
    ${isBuilding}
    if local.get 0 i64.const ${facts.buildSeconds} i64.store local.get 0 i32.const 0 i32.store offset=8
    else local.get 0 call ${facts['mur-wall']} end)
`;
const end = text.lastIndexOf(')');
const changed = await parse(`${text.slice(0, end)}${wrappers})\n`);
writeFileSync(new URL('quickjs.wasm', engine), changed);
console.log(`artifacts/engine/quickjs.wasm: ${changed.length} bytes, sha256 ${sha256(changed)}`);
