/**
 * A component as this process holds it: verified files in memory, core modules compiled once on first use and shared by every
 * thread, and the V8 code cache as it comes and goes. Not the disk (cache.ts).
 */
import { setFlagsFromString } from 'node:v8';
import type { CallResult, ModuleMeta } from '../../workers/message.js';
import type { CachedModule, CompiledForm, ComponentCache } from './cache.js';
import type { Contract } from './contract.js';
import type { Component, InterfaceRef } from './types.js';

/** What a thread needs of a component. */
export interface RunnableForm {
  readonly source: SharedArrayBuffer;
  readonly codeCache: SharedArrayBuffer | undefined;
  readonly modules: ReadonlyMap<string, WebAssembly.Module>;
  readonly imports: readonly string[];
}

export class CompiledComponent implements Component {
  readonly key: string;
  readonly sha256: string;
  readonly imports: readonly InterfaceRef[];
  readonly exports: readonly InterfaceRef[];
  readonly #importKeys: readonly string[];
  readonly #metas: readonly ModuleMeta[];
  readonly #cache: ComponentCache;
  readonly #source: SharedArrayBuffer;
  #codeCache: SharedArrayBuffer | undefined;
  /** Bytes of the core modules, until they are compiled. */
  #uncompiled: readonly CachedModule[];
  #modules: Promise<ReadonlyMap<string, WebAssembly.Module>> | undefined;
  #saved: Promise<void> = Promise.resolve();

  constructor(
    identity: { readonly key: string; readonly sha256: string },
    contract: Contract,
    form: CompiledForm,
    codeCache: Uint8Array | undefined,
    cache: ComponentCache,
  ) {
    this.key = identity.key;
    this.sha256 = identity.sha256;
    this.imports = contract.imports;
    this.exports = contract.exports;
    this.#importKeys = form.imports;
    this.#metas = form.modules.map(({ meta }) => meta);
    this.#uncompiled = form.modules;
    this.#cache = cache;
    this.#source = toShared(form.source);
    this.#codeCache = codeCache === undefined ? undefined : toShared(codeCache);
  }

  /** Everything a thread needs. Rejects when a core module does not compile. */
  async ready(): Promise<RunnableForm> {
    this.#modules ??= compileModules(this.#uncompiled);
    const modules = await this.#modules;
    this.#uncompiled = [];
    return { source: this.#source, codeCache: this.#codeCache, modules, imports: this.#importKeys };
  }

  moduleMetas(): readonly ModuleMeta[] {
    return this.#metas;
  }

  /** Keeps a code cache a thread made, in memory and on disk; forgets one that V8 refused. */
  keepCodeCache(result: Pick<CallResult, 'codeCache' | 'codeCacheRejected'>): void {
    if (result.codeCacheRejected) this.#codeCache = undefined;
    const made = result.codeCache;
    if (made === undefined || this.#codeCache !== undefined) return;
    this.#codeCache = toShared(made);
    // Only speed is lost when the disk refuses it.
    this.#saved = this.#cache.writeCodeCache(this.key, made).catch(() => {});
  }

  /** Settles when the last code cache is on disk. */
  flush(): Promise<void> {
    return this.#saved;
  }
}

async function compileModules(modules: readonly CachedModule[]): Promise<ReadonlyMap<string, WebAssembly.Module>> {
  allowExtendedConst();
  const compiled = await Promise.all(
    modules.map(async ({ name, bytes }) => [name, await WebAssembly.compile(bytes)] as const),
  );
  return new Map(compiled);
}

/** `(module (global i32 (i32.add (i32.const 1) (i32.const 1))))` */
const extendedConstModule = Uint8Array.from([
  0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, 6, 9, 1, 0x7f, 0, 0x41, 1, 0x41, 1, 0x6a, 0x0b,
]);
let isExtendedConstAllowed = false;

/**
 * Components made from JavaScript (QuickJS) need arithmetic in constant expressions, which Node 20 has behind a flag. The flag
 * is process-wide and part of V8's code cache check, so it is set before the first thread is.
 */
export function allowExtendedConst(): void {
  if (isExtendedConstAllowed) return;
  isExtendedConstAllowed = true;
  if (!WebAssembly.validate(extendedConstModule)) setFlagsFromString('--experimental-wasm-extended-const');
}

function toShared(bytes: Uint8Array): SharedArrayBuffer {
  const shared = new SharedArrayBuffer(bytes.byteLength);
  new Uint8Array(shared).set(bytes);
  return shared;
}
