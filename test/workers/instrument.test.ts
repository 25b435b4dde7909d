import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { exportNames, instrument } from '../../workers/instrument.js';
import { coreModule } from '../fixtures/component/build.js';

type Numeric = Record<string, (...args: number[]) => number>;

/** The instance with its limits set, as the worker does it. */
function instantiate(bytes: Uint8Array, memoryPages: number, tableElements: number) {
  const instance = new WebAssembly.Instance(new WebAssembly.Module(bytes));
  const global = (name: string) => instance.exports[name] as WebAssembly.Global<bigint>;
  global(exportNames.memoryLimit).value = BigInt(memoryPages);
  global(exportNames.tableLimit).value = BigInt(tableElements);
  return {
    run: instance.exports as unknown as Numeric,
    deniedPages: () => global(exportNames.deniedPages).value,
    deniedElements: () => global(exportNames.deniedElements).value,
  };
}

const growing = `(module (memory (export "m") 1) (table $t 3 externref)
  (func (export "grow") (param i32) (result i32) (memory.grow (local.get 0)))
  (func (export "size") (result i32) (memory.size))
  (func (export "table") (param i32) (result i32) (table.grow $t (ref.null extern) (local.get 0))))`;

describe('instrument', () => {
  it('lets memory.grow work as before within the limit', async () => {
    const { run } = instantiate(instrument(await coreModule(growing)).bytes, 5, 100);
    expect(run.grow?.(2)).toBe(1);
    expect(run.grow?.(2)).toBe(3);
    expect(run.size?.()).toBe(5);
  });

  it('traps at the growth past the limit and tells how much was wanted', async () => {
    const { run, deniedPages } = instantiate(instrument(await coreModule(growing)).bytes, 5, 100);
    expect(() => run.grow?.(5)).toThrow('unreachable');
    expect(deniedPages()).toBe(6n);
  });

  it('counts in 64 bits, so a huge delta does not wrap', async () => {
    const { run, deniedPages } = instantiate(instrument(await coreModule(growing)).bytes, 5, 100);
    expect(() => run.grow?.(-1)).toThrow('unreachable');
    expect(deniedPages()).toBe(4294967296n);
  });

  it('does the same for tables of any reference type', async () => {
    const { run, deniedElements } = instantiate(instrument(await coreModule(growing)).bytes, 5, 7);
    expect(run.table?.(4)).toBe(3);
    expect(() => run.table?.(1)).toThrow('unreachable');
    expect(deniedElements()).toBe(8n);
  });

  it('denies every growth while nobody has set a limit', async () => {
    const module = new WebAssembly.Module(instrument(await coreModule(growing)).bytes);
    const run = new WebAssembly.Instance(module).exports as unknown as Numeric;
    expect(() => run.grow?.(1)).toThrow('unreachable');
  });

  it('turns a start function into an export', async () => {
    const wat =
      '(module (memory 1) (global $g (export "g") (mut i32) (i32.const 0)) (func $s (drop (memory.grow (i32.const 1))) (global.set $g (i32.const 7))) (start $s))';
    const instance = new WebAssembly.Instance(new WebAssembly.Module(instrument(await coreModule(wat)).bytes));
    expect((instance.exports.g as WebAssembly.Global).value).toBe(0);
    (instance.exports[exportNames.memoryLimit] as WebAssembly.Global<bigint>).value = 2n;
    (instance.exports[exportNames.start] as () => void)();
    expect((instance.exports.g as WebAssembly.Global).value).toBe(7);
  });

  it('leaves a module that grows nothing byte for byte alone', async () => {
    const bytes = await coreModule('(module (memory 3) (func (export "f") (result i32) (i32.const 64)))');
    const result = instrument(bytes);
    expect(result.bytes).toBe(bytes);
    expect(result.meta).toEqual({ memoryPages: [3], tableElements: [] });
  });

  it('reports what a module has from the start', async () => {
    expect(instrument(await coreModule(growing)).meta).toEqual({ memoryPages: [1], tableElements: [3] });
  });

  it('instruments an imported memory too', async () => {
    const wat =
      '(module (import "e" "m" (memory 1)) (func (export "grow") (param i32) (result i32) (memory.grow (local.get 0))))';
    const { bytes, meta } = instrument(await coreModule(wat));
    expect(meta.memoryPages).toEqual([]);
    const memory = new WebAssembly.Memory({ initial: 1 });
    const instance = new WebAssembly.Instance(new WebAssembly.Module(bytes), { e: { m: memory } });
    (instance.exports[exportNames.memoryLimit] as WebAssembly.Global<bigint>).value = 1n;
    expect(() => (instance.exports as unknown as Numeric).grow?.(1)).toThrow('unreachable');
  });

  it.each([
    ['a 64-bit memory', '(module (memory i64 1))', '64-bit memories'],
    ['a shared memory', '(module (memory 1 2 shared))', 'shared memories'],
    ['garbage-collected types', '(module (type (struct (field i32))))', 'garbage-collected types'],
    ['a reserved export name', '(module (func (export "mur:denied-pages")))', '"mur:denied-pages" is reserved'],
  ])('refuses %s', async (_what, wat, reason) => {
    const bytes = await coreModule(wat);
    expect(() => instrument(bytes)).toThrow(reason);
  });

  it('refuses its own output, because a second round would make an invalid module', async () => {
    const once = instrument(await coreModule(growing)).bytes;
    expect(() => instrument(once)).toThrow('is reserved');
  });

  it('refuses an opcode it does not know', async () => {
    const bytes = Buffer.from(await coreModule('(module (func (nop) (nop) (nop)))'));
    bytes[bytes.indexOf(Buffer.from([1, 1, 1, 0x0b]))] = 0xf0;
    expect(() => instrument(bytes)).toThrow('opcode 0xf0 is not supported');
  });

  it('drops code metadata that points by byte offset', async () => {
    const section = Buffer.concat([Buffer.from([0, 26, 25]), Buffer.from('metadata.code.branch_hint', 'utf8')]);
    const bytes = Buffer.concat([await coreModule(growing), section]);
    expect(Buffer.from(instrument(bytes).bytes).includes('branch_hint')).toBe(false);
  });

  it('steps over every group of instructions without losing its place', async () => {
    const wat = `(module (memory 1) (table $t 1 funcref) (data $d "x") (elem $e func $f) (tag $tag)
      (type $sig (func (param i32) (result i32)))
      (func $f (param i32) (result i32) (local v128 f64)
        (block (br_table 0 0 0 (local.get 0)))
        (loop (br_if 0 (i32.const 0)))
        (if (i32.const 1) (then (nop)) (else (nop)))
        (block $c (try_table (catch $tag $c) (catch_all $c)))
        (drop (select (result i32) (i32.const 1) (i32.const 2) (i32.const 3)))
        (drop (call_indirect $t (type $sig) (i32.const 0) (i32.const 0)))
        (drop (i64.const -9223372036854775808)) (drop (f32.const 1.5)) (drop (f64.const 2.5))
        (i32.store offset=4 align=1 (i32.const 0) (i32.const 70000))
        (memory.init $d (i32.const 0) (i32.const 0) (i32.const 1)) (data.drop $d)
        (memory.copy (i32.const 0) (i32.const 1) (i32.const 2)) (memory.fill (i32.const 0) (i32.const 1) (i32.const 2))
        (table.init $t $e (i32.const 0) (i32.const 0) (i32.const 1)) (elem.drop $e)
        (table.set $t (i32.const 0) (ref.func $f)) (drop (ref.is_null (table.get $t (i32.const 0))))
        (drop (i32.trunc_sat_f64_s (f64.const 1)))
        (local.set 1 (v128.const i32x4 1 2 3 4))
        (local.set 1 (i8x16.shuffle 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 (local.get 1) (local.get 1)))
        (drop (i32x4.extract_lane 3 (local.get 1)))
        (local.set 1 (v128.load8_lane offset=2 3 (i32.const 0) (local.get 1)))
        (drop (i32.atomic.load (i32.const 0))) (atomic.fence)
        (drop (table.grow $t (ref.null func) (i32.const 1)))
        (memory.grow (i32.const 1))))`;
    const bytes = await coreModule(wat);
    const { bytes: instrumented } = instrument(bytes);
    const calls = instrumented.length - bytes.length;
    expect(calls).toBeGreaterThan(100);
    expect(() => instrument(instrumented)).toThrow('is reserved');
  });

  it('makes valid modules of every module found in the installed packages', { timeout: 60_000 }, () => {
    const root = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), '..');
    const modules = readdirSync(root, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.wasm'))
      .map((name) => join(root, name))
      .filter((file) => WebAssembly.validate(readFileSync(file)));
    expect(modules.length).toBeGreaterThan(3);
    for (const file of modules) {
      const { bytes } = instrument(readFileSync(file));
      expect(WebAssembly.validate(bytes), file).toBe(true);
    }
  });

  it('throws a typed error on damaged bytes and never runs away', async () => {
    const bytes = await coreModule(growing);
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(bytes.length - 1), fc.nat(255)), { minLength: 1, maxLength: 6 }),
        fc.nat(bytes.length),
        (changes, length) => {
          const damaged = bytes.slice(0, length);
          for (const [at, value] of changes) if (at < damaged.length) damaged[at] = value;
          try {
            instrument(damaged);
          } catch (error) {
            expect(['BinaryError', 'UnsupportedError']).toContain((error as Error).name);
          }
        },
      ),
    );
  });
});
