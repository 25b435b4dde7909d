/**
 * A guest's side of `wasi:http` on a real worker thread, over the real bridge, to an egress on this thread. Not a test.
 * The guest is a plain function: it is sent as text, so it may use nothing but its argument.
 */
import { Worker } from 'node:worker_threads';
import { parseAllowEntry } from '../../../src/policy/network.js';
import { HostBridge } from '../../../src/wasm/bridge.js';
import { createEgress, type EgressEvent, type EgressPolicy } from '../../../src/wasm/egress/index.js';

/** What the guest function is given. */
export interface GuestKit {
  /** Sends a request and reads the whole response. */
  fetch(request: GuestRequest): GuestAnswer;
  /** Starts a request; the pieces are those of `wasi:http`. */
  // biome-ignore lint/suspicious/noExplicitAny: the guest uses the untyped import object, as generated code does
  start(request: GuestRequest): any;
  // biome-ignore lint/suspicious/noExplicitAny: as above
  imports: any;
  /** Waits for the response of a started request and takes it. */
  // biome-ignore lint/suspicious/noExplicitAny: as above
  answer(future: any): any;
  /** Milliseconds of this thread's clock. */
  nowMs(): number;
  bytes(text: string): Uint8Array;
  text(bytes: Uint8Array): string;
  readonly input: Readonly<Record<string, string>>;
}

export interface GuestRequest {
  readonly method?: string;
  readonly url: string;
  readonly headers?: readonly (readonly [string, string])[];
  /** Chunks; absent: the guest never asks for the body. */
  readonly body?: readonly string[];
  readonly timeoutsMs?: { readonly connect?: number; readonly firstByte?: number; readonly between?: number };
}

export interface GuestAnswer {
  readonly status?: number;
  readonly headers?: readonly (readonly [string, string])[];
  readonly body?: string;
  /** Tag of the error code, and where it came from. */
  readonly error?: string;
}

/** Runs in the worker. `kit` builds on the import object alone, as a component would. */
const script = `
const { parentPort, workerData } = require('node:worker_threads');
const run = async () => {
  const { WorkerBridge } = await import(workerData.bridgeUrl);
  const { createWasi } = await import(workerData.wasiUrl);
  const bridge = new WorkerBridge(workerData.port, workerData.flags);
  const { imports } = createWasi({ env: [], args: [], preopens: [], captureLimitBytes: 0, bridge });
  const types = imports['wasi:http/types'];
  const { handle } = imports['wasi:http/outgoing-handler'];
  const { poll } = imports['wasi:io/poll'];
  const bytes = (text) => new TextEncoder().encode(text);
  const text = (data) => new TextDecoder().decode(data);
  const tagOf = (thrown) => {
    if (thrown instanceof Error) throw thrown;
    if (thrown && thrown.tag === 'last-operation-failed') return types.httpErrorCode(thrown.val).tag;
    return (thrown && thrown.tag) ?? String(thrown);
  };
  const start = ({ method = 'GET', url, headers = [], body, timeoutsMs }) => {
    const [, scheme, authority, path] = /^([a-z]+):\\/\\/([^/?]*)(.*)$/.exec(url);
    const fields = new types.Fields();
    for (const [name, value] of headers) fields.append(name, bytes(value));
    const request = new types.OutgoingRequest(fields);
    const tag = method.toLowerCase();
    const known = ['get', 'head', 'post', 'put', 'delete', 'connect', 'options', 'trace', 'patch'].includes(tag);
    request.setMethod(known ? { tag } : { tag: 'other', val: method });
    request.setScheme(scheme === 'http' ? { tag: 'HTTP' } : scheme === 'https' ? { tag: 'HTTPS' } : { tag: 'other', val: scheme });
    request.setAuthority(authority);
    request.setPathWithQuery(path === '' ? undefined : path);
    const options = new types.RequestOptions();
    const ns = (ms) => (ms === undefined ? undefined : BigInt(ms) * 1000000n);
    options.setConnectTimeout(ns(timeoutsMs?.connect));
    options.setFirstByteTimeout(ns(timeoutsMs?.firstByte));
    options.setBetweenBytesTimeout(ns(timeoutsMs?.between));
    const outgoing = body === undefined ? undefined : request.body();
    const future = handle(request, options);
    if (outgoing !== undefined) {
      const stream = outgoing.write();
      for (const chunk of body) stream.blockingWriteAndFlush(bytes(chunk));
      stream[Symbol.dispose]();
      types.OutgoingBody.finish(outgoing, undefined);
    }
    return future;
  };
  const answer = (future) => {
    future.subscribe().block();
    const outer = future.get();
    if (outer.tag === 'err') throw new Error('the response was taken already');
    if (outer.val.tag === 'err') throw outer.val.val;
    return outer.val.val;
  };
  const fetch = (request) => {
    try {
      const future = start(request);
      const response = answer(future);
      const headers = response.headers().entries().map(([name, value]) => [name, text(value)]);
      const status = response.status();
      const body = response.consume();
      const stream = body.stream();
      const parts = [];
      try {
        for (;;) parts.push(Buffer.from(stream.blockingRead(1000000n)));
      } catch (thrown) {
        if (!thrown || thrown.tag !== 'closed') return { status, headers, body: text(Buffer.concat(parts)), error: tagOf(thrown) };
      }
      stream[Symbol.dispose]();
      types.IncomingBody.finish(body);
      return { status, headers, body: text(Buffer.concat(parts)) };
    } catch (thrown) {
      return { error: tagOf(thrown) };
    }
  };
  const kit = { fetch, start, answer, imports, bytes, text, tagOf, poll, nowMs: () => performance.now(), input: workerData.input };
  return (0, eval)('(' + workerData.guest + ')')(kit);
};
run().then(
  (value) => parentPort.postMessage({ value }),
  (error) => parentPort.postMessage({ error: error && error.stack ? error.stack : JSON.stringify(error) }),
);
`;

const dist = new URL('../../../dist/workers/', import.meta.url);

export type PolicyWish = Partial<Omit<EgressPolicy, 'rules'>> & { readonly allow?: readonly string[] };

export function policyOf({ allow = [], ...rest }: PolicyWish): EgressPolicy {
  return { rules: allow.map(parseAllowEntry), privateNames: [], gateways: [], ...rest };
}

/** Everything that crossed the bridge, for the secrets tests. */
export interface GuestRun<T> {
  readonly value: T;
  readonly events: readonly EgressEvent[];
  /** Requests and replies, as text. */
  readonly crossed: string;
}

export async function runGuest<T>(
  wish: PolicyWish,
  guest: (kit: GuestKit) => T,
  input: Readonly<Record<string, string>> = {},
): Promise<GuestRun<T>> {
  const events: EgressEvent[] = [];
  const egress = createEgress({ ...policyOf(wish), onEvent: (event) => events.push(event) });
  const crossed: string[] = [];
  const plain = (_: string, each: unknown): unknown => {
    if (typeof each === 'bigint') return String(each);
    return each instanceof Uint8Array ? Buffer.from(each.subarray(0, 4096)).toString('latin1') : each;
  };
  const asText = (value: unknown): string => JSON.stringify(value, plain) ?? '';
  const bridge = new HostBridge({
    answer: async (op, args) => {
      const value = await egress.handle(op, args);
      crossed.push(op, asText(args), asText(value));
      return { status: 'value', value };
    },
    event: () => {},
    instantiating: () => {},
  });
  const worker = new Worker(script, {
    eval: true,
    env: {},
    workerData: {
      port: bridge.guestPort,
      flags: bridge.flags,
      guest: guest.toString(),
      input,
      bridgeUrl: new URL('bridge.js', dist).href,
      wasiUrl: new URL('wasi/index.js', dist).href,
    },
    transferList: [bridge.guestPort],
  });
  try {
    const message = await new Promise<{ value: T } | { error: string }>((resolve, reject) => {
      worker.once('message', resolve);
      worker.once('error', reject);
      worker.once('exit', (code) => reject(new Error(`the guest thread ended with ${code}`)));
    });
    if ('error' in message) throw new Error(message.error);
    return { value: message.value, events, crossed: crossed.join('\n') };
  } finally {
    egress.close();
    bridge.close();
    worker.removeAllListeners('exit');
    await worker.terminate();
  }
}
