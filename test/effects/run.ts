/** Runs capsules with the library inside the test process, one pool of workers for all of them. Reads what each one left. */
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type MurmurHome, murmurHome } from '../../src/home/index.js';
import { prepareRun, type RunRequest } from '../../src/index.js';
import type { SessionNotice } from '../../src/supervise/index.js';
import { type LaunchOptions, type LaunchResult, launch } from '../../src/supervise/launch.js';
import { readTrace } from '../../src/trace/index.js';
import { createWasmHost, type WasmHost } from '../../src/wasm/index.js';
import { Sandbox } from '../e2e/cli.js';

export type Line = Readonly<Record<string, unknown>> & { readonly event_type: string };

export interface Left {
  readonly result: LaunchResult;
  readonly lines: readonly Line[];
  readonly notices: readonly SessionNotice[];
}

export class Library {
  readonly sandbox: Sandbox;
  readonly #home: MurmurHome;
  readonly #wasm: WasmHost;

  /** `place`: see `Sandbox`. */
  constructor(place?: string) {
    this.sandbox = new Sandbox(place);
    this.#home = murmurHome({ HOME: this.sandbox.home });
    this.#wasm = createWasmHost({ cacheDir: this.#home.compiled });
  }

  /** Runs `manifest` on a task in a work folder of its own. */
  run(manifest: string, request: RunRequest = {}, options: LaunchOptions = {}): Promise<Left> {
    return this.serve(manifest, options, { task: 'go', ...request });
  }

  /** Runs `manifest`, which gets its tasks through the door of its session. More than one may run at a time. */
  async serve(manifest: string, options: LaunchOptions = {}, request: RunRequest = {}): Promise<Left> {
    const manifestPath = this.sandbox.manifest(manifest);
    const workdir = join(this.sandbox.root, 'work');
    mkdirSync(workdir, { recursive: true });
    // With a task of its own a session waits for no other.
    const idleSecs = request.task === undefined ? '60' : '1';
    const env = { HOME: this.sandbox.home, PATH: '/usr/local/bin:/usr/bin:/bin', MURMUR_A2A_TIMEOUT_SECS: idleSecs };
    const { request: stage } = prepareRun({ manifestPath, workdir, ...request }, env);
    const notices: SessionNotice[] = [];
    const result = await launch(stage, {
      ...options,
      home: this.#home,
      wasm: this.#wasm,
      onNotice: (notice) => {
        notices.push(notice);
        options.onNotice?.(notice);
      },
    });
    return { result, notices, lines: linesIn(result.recordsDir) };
  }

  async close(): Promise<void> {
    await this.#wasm.close();
    this.sandbox.remove();
  }
}

function linesIn(recordsDir: string | undefined): Line[] {
  const path = join(recordsDir ?? '', 'trace.jsonl');
  if (recordsDir === undefined || !existsSync(path)) return [];
  const items = [...readTrace(path)];
  if (items.some((item) => item.kind === 'warning')) throw new Error(`damaged trace: ${readFileSync(path, 'utf8')}`);
  return items.flatMap((item) => (item.kind === 'event' ? [item.event as unknown as Line] : []));
}
