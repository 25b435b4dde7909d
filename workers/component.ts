/**
 * Evaluated components of this worker thread, and fresh instances of them. Keeps the last 64 components; an instance is never
 * used twice. Not the imports (imports.ts) and not the call (call.ts).
 */
import { Script } from 'node:vm';
import { exportNames } from './instrument.js';
import { countedCopy, countedTextDecoder, type Lift } from './lift.js';
import type { CallTask, GuestFailure } from './message.js';
import type { ExecutionLimits } from './protocol.js';

const keptComponents = 64;
const pageBytes = 65536;

type Imports = Record<string, Record<string, unknown>>;
type Exports = Record<string, Record<string, (...args: unknown[]) => unknown> | undefined>;
type Instantiate = (
  getCoreModule: (name: string) => WebAssembly.Module,
  imports: Imports,
  instantiateCore: (module: WebAssembly.Module, imports?: WebAssembly.Imports) => WebAssembly.Instance,
) => unknown;

interface LoadedComponent {
  readonly script: Script;
  readonly instantiate: Instantiate;
  uses: number;
}

export interface Loaded {
  readonly instantiate: Instantiate;
  /** A code cache worth keeping: functions of two runs are in it. */
  readonly codeCache?: () => Uint8Array;
  readonly codeCacheRejected: boolean;
}

/** jco writes to the console before it throws; the thrown error carries the same text. */
const silentConsole = Object.freeze({ error: () => {}, debug: () => {}, log: () => {}, warn: () => {} });

/** Generated code arms timers for suspended tasks, which a synchronous call has none of; one left behind would run inside the next call. */
const noTimer = (): number => 0;

export class ComponentShelf {
  readonly #lift: Lift;
  readonly #kept = new Map<string, LoadedComponent>();

  constructor(lift: Lift) {
    this.#lift = lift;
  }

  /** The evaluated component of `task`, from the shelf or from its source. */
  load(task: CallTask): Loaded {
    const kept = this.#kept.get(task.key);
    const component = kept ?? this.#evaluate(task);
    this.#kept.delete(task.key);
    this.#kept.set(task.key, component);
    if (this.#kept.size > keptComponents) this.#kept.delete(this.#kept.keys().next().value!);
    component.uses += 1;
    const codeCacheRejected = kept === undefined && component.script.cachedDataRejected === true;
    // Right after evaluation nothing is compiled; after the second use the cache holds what calls really need.
    const worthKeeping = task.codeCache === undefined && component.uses === 2;
    return {
      instantiate: component.instantiate,
      codeCacheRejected,
      ...(worthKeeping ? { codeCache: () => component.script.createCachedData() } : {}),
    };
  }

  #evaluate(task: CallTask): LoadedComponent {
    const script = new Script(Buffer.from(task.source).toString('utf8'), {
      filename: `mur-component-${task.key.slice(0, 12)}.js`,
      ...(task.codeCache === undefined ? {} : { cachedData: Buffer.from(task.codeCache) }),
    });
    const make = script.runInThisContext() as (...parameters: unknown[]) => Instantiate;
    const instantiate = make(countedTextDecoder(this.#lift), silentConsole, noTimer, countedCopy(this.#lift), () =>
      this.#lift.settle(),
    );
    return { script, instantiate, uses: 0 };
  }
}

export class InstanceLimitError extends Error {
  override readonly name = 'InstanceLimitError';
}

/** The core instances of one call, with the call's limits in them. */
export class InstanceSet {
  readonly #limits: ExecutionLimits;
  readonly #instances: WebAssembly.Instance[] = [];

  constructor(limits: ExecutionLimits) {
    this.#limits = limits;
  }

  create(module: WebAssembly.Module, imports?: WebAssembly.Imports): WebAssembly.Instance {
    if (this.#instances.length >= this.#limits.instances) throw new InstanceLimitError();
    const instance = new WebAssembly.Instance(module, imports);
    this.#instances.push(instance);
    const memoryLimit = globalOf(instance, exportNames.memoryLimit);
    if (memoryLimit !== undefined) memoryLimit.value = BigInt(Math.floor(this.#limits.memoryBytes / pageBytes));
    const tableLimit = globalOf(instance, exportNames.tableLimit);
    if (tableLimit !== undefined) tableLimit.value = BigInt(this.#limits.tableElements);
    const start = instance.exports[exportNames.start];
    if (typeof start === 'function') (start as () => void)();
    return instance;
  }

  /** The growth that was refused, if one was. It outranks whatever the guest made of it. */
  denial(): GuestFailure | undefined {
    for (const instance of this.#instances) {
      const pages = globalOf(instance, exportNames.deniedPages)?.value ?? 0n;
      if (pages !== 0n) return { kind: 'memory', wantedBytes: Number(pages) * pageBytes };
      const elements = globalOf(instance, exportNames.deniedElements)?.value ?? 0n;
      if (elements !== 0n) return { kind: 'table', wantedElements: Number(elements) };
    }
    return undefined;
  }
}

function globalOf(instance: WebAssembly.Instance, name: string): WebAssembly.Global<bigint> | undefined {
  const value = instance.exports[name];
  return value instanceof WebAssembly.Global ? (value as WebAssembly.Global<bigint>) : undefined;
}

/** The instance's exports; throws what instantiation threw. */
export function instantiate(
  loaded: Loaded,
  task: Pick<CallTask, 'modules'>,
  imports: Imports,
  instances: InstanceSet,
): Exports {
  const moduleOf = (name: string): WebAssembly.Module => {
    const module = task.modules.get(name);
    if (module === undefined) throw new Error(`the compiled form lacks ${name}`);
    return module;
  };
  return loaded.instantiate(moduleOf, imports, (module, coreImports) =>
    instances.create(module, coreImports),
  ) as Exports;
}
