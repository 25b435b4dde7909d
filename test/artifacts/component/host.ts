/** Runs the built artifacts as the product does: real host, real work folder, real egress. Not a test. */
import { closeSync, constants, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sendToPeer } from '../../../src/peer/index.js';
import { parseAllowEntry } from '../../../src/policy/index.js';
import { createEgress, type GatewayRoute } from '../../../src/wasm/egress/index.js';
import { type CallOutcome, createWasmHost } from '../../../src/wasm/index.js';
import type { GuestEvent, GuestKind } from '../../../workers/protocol.js';
import { sharedCache } from '../../wasm/shared-cache.js';

export interface ArtifactHost extends AsyncDisposable {
  /** A work folder, empty at first. */
  readonly folder: string;
  call(
    name: string,
    input: unknown,
    options?: ArtifactCall,
  ): Promise<CallOutcome & { readonly events: readonly GuestEvent[] }>;
}

export interface ArtifactCall {
  readonly env?: Readonly<Record<string, string>>;
  readonly gateway?: GatewayRoute;
  readonly deadlineMs?: number;
  readonly readOnly?: boolean;
  /** Grants no folder. */
  readonly bare?: boolean;
  /** As in `capabilities.network.allow`; for its own requests and those it hands to the runtime. */
  readonly allow?: readonly string[];
}

export function openArtifacts(): ArtifactHost {
  const dir = mkdtempSync(join(tmpdir(), 'mur-artifact-'));
  const folder = mkdtempSync(join(dir, 'work-'));
  const fd = openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY);
  let mintedIds = 0;
  const wasm = createWasmHost({ cacheDir: sharedCache, permits: 2 });
  return {
    folder,
    async call(name, input, options = {}) {
      const component = await wasm.load(name, readFileSync(`artifacts/${name}/${name}.wasm`));
      const events: GuestEvent[] = [];
      const kind: GuestKind = name.startsWith('mur-driver-') ? 'driver' : 'tool';
      const rules = (options.allow ?? []).map(parseAllowEntry);
      const gateways = options.gateway === undefined ? [] : [options.gateway];
      const outcome = await wasm.call({
        component,
        kind,
        name,
        input: { data: typeof input === 'string' ? input : JSON.stringify(input) },
        depth: 0,
        limits: {
          memoryBytes: 64 * 1024 * 1024,
          tableElements: 10_000,
          instances: 100,
          deadlineMs: options.deadlineMs ?? 20_000,
        },
        env: Object.entries(options.env ?? {}),
        preopens: options.bare ? [] : [{ fd, guestPath: '.', readOnly: options.readOnly ?? false }],
        egress: createEgress({ rules, privateNames: [], gateways }),
        host: {
          event: (event) => void events.push(event),
          // A session names a message that has no id.
          send: (url, message, signal) =>
            sendToPeer(
              url,
              { ...message, messageId: `msg_${mintedIds++}` },
              {
                policy: { rules, privateNames: [], gateways: [] },
                ...{ trust: 'untrusted', traceparent: null, signal },
              },
            ),
        },
      });
      return { ...outcome, events };
    },
    async [Symbol.asyncDispose]() {
      await wasm.close();
      closeSync(fd);
      rmSync(dir, { recursive: true, force: true });
    },
  };
}
