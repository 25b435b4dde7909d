/** Compiles sources in a temporary folder and runs the components as the product does: real host, real files, real egress. Not a test. */
import { closeSync, constants, mkdirSync, mkdtempSync, openSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type Compiled, type CompiledRole, compileSource } from '../../src/build/compile/index.js';
import { parseAllowEntry } from '../../src/policy/network.js';
import { createEgress } from '../../src/wasm/egress/index.js';
import { createWasmHost } from '../../src/wasm/index.js';
import type { GuestEvent, ToolResult } from '../../workers/protocol.js';
import { sharedCache } from '../wasm/shared-cache.js';

export class Project {
  readonly #outer = mkdtempSync(join(tmpdir(), 'mur-test-build-'));
  readonly root: string;

  /** `inside` is where in the temporary folder the project lies. */
  constructor(inside = '.') {
    this.root = join(this.#outer, inside);
    mkdirSync(this.root, { recursive: true });
  }

  write(name: string, text: string | Uint8Array): string {
    const path = join(this.root, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    return path;
  }

  names(): string[] {
    return readdirSync(this.root).sort();
  }

  compile(text: string, role: CompiledRole = 'tool'): Promise<Compiled> {
    return compileSource({ file: this.write('src/main.ts', text), role, root: this.root });
  }

  [Symbol.dispose](): void {
    rmSync(this.#outer, { recursive: true, force: true });
  }
}

export interface Guest extends AsyncDisposable {
  /** A work folder, empty at first. */
  readonly folder: string;
  call(compiled: Compiled, input: unknown, options?: GuestOptions): Promise<Called>;
}

export interface GuestOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly allow?: readonly string[];
  readonly role?: CompiledRole;
}

export interface Called {
  readonly result: ToolResult;
  readonly events: readonly GuestEvent[];
}

export function openGuest(): Guest {
  const dir = mkdtempSync(join(tmpdir(), 'mur-test-guest-'));
  const folder = join(dir, 'work');
  mkdirSync(folder);
  const fd = openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY);
  const wasm = createWasmHost({ cacheDir: sharedCache, permits: 2 });
  return {
    folder,
    async call(compiled, input, options = {}) {
      const events: GuestEvent[] = [];
      const outcome = await wasm.call({
        component: await wasm.load('guest', compiled.component),
        kind: options.role === 'driver' ? 'driver' : 'tool',
        name: 'guest',
        input: { data: typeof input === 'string' ? input : JSON.stringify(input) },
        depth: 0,
        limits: { memoryBytes: 64 * 1024 * 1024, tableElements: 10_000, instances: 100, deadlineMs: 20_000 },
        env: Object.entries(options.env ?? {}),
        preopens: [{ fd, guestPath: '.', readOnly: false }],
        egress: createEgress({ rules: (options.allow ?? []).map(parseAllowEntry), privateNames: [], gateways: [] }),
        host: { event: (event) => void events.push(event) },
      });
      if (outcome.status !== 'returned' || outcome.result === undefined) {
        throw new Error(`the call failed: ${JSON.stringify(outcome)}`);
      }
      return { result: outcome.result, events };
    },
    async [Symbol.asyncDispose]() {
      await wasm.close();
      closeSync(fd);
      rmSync(dir, { recursive: true, force: true });
    },
  };
}
