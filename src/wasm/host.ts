/**
 * The WASM host: components by content, calls with fresh instances. Read next: call.ts (one call), pool.ts (threads),
 * compiled.ts (what is shared), cache.ts (disk).
 */
import { availableParallelism } from 'node:os';
import { compileRevision } from '../../workers/revision.js';
import { MurError } from '../errors/index.js';
import { ComponentCache, sha256 } from './cache.js';
import { GuestCall } from './call.js';
import { CompiledComponent } from './compiled.js';
import { Compiler } from './compiler.js';
import { interfaceText, readContract } from './contract.js';
import { WorkerPool } from './pool.js';
import type { CallOutcome, CallRequest, Component, LoadProgress, WasmHost, WasmHostOptions } from './types.js';

const defaultMaxThreads = 64;

/** A host with its own threads. Nothing is started, imported or created before the first `load` or `call` needs it. */
export function createWasmHost(options: WasmHostOptions): WasmHost {
  return new Host(options);
}

class Host implements WasmHost {
  readonly #cache: ComponentCache;
  readonly #compiler = new Compiler();
  readonly #pool: WorkerPool;
  readonly #loading = new Map<string, Promise<CompiledComponent>>();
  /** Weak, so that a component nobody holds any more gives its memory back. */
  readonly #loaded = new Map<string, WeakRef<CompiledComponent>>();
  readonly #calls = new Map<GuestCall, Promise<CallOutcome>>();
  readonly #flushes = new Set<Promise<void>>();
  #closed = false;

  constructor(options: WasmHostOptions) {
    this.#cache = new ComponentCache(options.cacheDir);
    this.#pool = new WorkerPool({
      permits: Math.max(1, options.permits ?? availableParallelism()),
      maxThreads: options.maxThreads ?? defaultMaxThreads,
    });
  }

  async load(name: string, bytes: Uint8Array, onProgress?: (progress: LoadProgress) => void): Promise<Component> {
    this.#refuseClosed();
    const digest = sha256(bytes);
    const key = sha256(digest, compileRevision);
    const held = this.#loaded.get(key)?.deref();
    if (held !== undefined) {
      onProgress?.({ name, state: 'cached' });
      return held;
    }
    let loading = this.#loading.get(key);
    if (loading === undefined) {
      loading = this.#load({ key, sha256: digest }, name, bytes, onProgress);
      this.#loading.set(key, loading);
      const forget = () => this.#loading.delete(key);
      loading.then(forget, forget);
    }
    const component = await loading;
    this.#loaded.set(key, new WeakRef(component));
    return component;
  }

  async call(request: CallRequest): Promise<CallOutcome> {
    this.#refuseClosed();
    const { component } = request;
    if (!(component instanceof CompiledComponent))
      throw new TypeError('component was not made by a WASM host of this process');
    const call = new GuestCall(request, component, this.#pool);
    const outcome = call.run();
    this.#calls.set(call, outcome);
    try {
      return await outcome;
    } finally {
      this.#calls.delete(call);
      this.#awaitFlush(component.flush());
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const call of this.#calls.keys()) call.abort();
    await Promise.allSettled(this.#calls.values());
    await Promise.all([this.#pool.close(), this.#compiler.close(), ...this.#flushes]);
  }

  async #load(
    identity: { readonly key: string; readonly sha256: string },
    name: string,
    bytes: Uint8Array,
    onProgress: ((progress: LoadProgress) => void) | undefined,
  ): Promise<CompiledComponent> {
    const contract = readContract(name, bytes);
    const cached = await this.#cache.read(identity.key);
    if (cached !== undefined) {
      onProgress?.({ name, state: 'cached' });
      const codeCache = await this.#cache.readCodeCache(identity.key);
      return new CompiledComponent(identity, contract, cached, codeCache, this.#cache);
    }
    const startedAt = performance.now();
    onProgress?.({ name, state: 'compiling' });
    const form = await this.#compiler.compile(name, bytes);
    const interfaces = { imports: contract.imports.map(interfaceText), exports: contract.exports.map(interfaceText) };
    await this.#cache.write(identity.key, identity.sha256, interfaces, form);
    onProgress?.({ name, state: 'compiled', durationMs: performance.now() - startedAt });
    return new CompiledComponent(identity, contract, form, undefined, this.#cache);
  }

  #awaitFlush(flush: Promise<void>): void {
    this.#flushes.add(flush);
    void flush.then(() => this.#flushes.delete(flush));
  }

  #refuseClosed(): void {
    if (this.#closed) throw new MurError('E-RUN-007', 'the WASM host is closed');
  }
}
