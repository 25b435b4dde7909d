/**
 * The worker side of one guest call: evaluate or find the component, make a fresh instance, call its export, say how it ended.
 * Synchronous from start to end, as the pool's atomics mode demands. Not the deadline, the permits or the words of a failure
 * (src/wasm). Read next: component.ts, bridge.ts, wasi/index.ts.
 */
import { WorkerBridge } from './bridge.js';
import { ComponentShelf, InstanceLimitError, InstanceSet, instantiate } from './component.js';
import { murmurImports } from './imports.js';
import { Lift, LiftLimitError, liftLimitBytes } from './lift.js';
import type { CallResult, CallTask, GuestFailure } from './message.js';
import type { ToolInput, ToolResult } from './protocol.js';
import { createWasi, ExitError, type WasiHost } from './wasi/index.js';

const captureLimitBytes = 64 * 1024;

// Generated code asks for JSPI once per instance inside a try; without it the throw costs 2 ms, which is most of a call.
const jspi = WebAssembly as unknown as { promising?: (f: unknown) => unknown };
jspi.promising ??= (f) => f;

const lift = new Lift();
const shelf = new ComponentShelf(lift);

/** How the call ended. Never throws: whatever a guest does becomes a failure in the result. */
export default function call(task: CallTask): CallResult {
  const bridge = new WorkerBridge(task.port, task.flags);
  const instances = new InstanceSet(task.limits);
  lift.start();
  const wasi = createWasi({ env: task.env, args: [], preopens: task.preopens, captureLimitBytes, bridge });
  const exits: ExitError[] = [];
  let outcome: { result: ToolResult | undefined } | { thrown: unknown };
  let extras: Pick<CallResult, 'codeCache' | 'codeCacheRejected'> = {};
  let startedAt: number | undefined;
  try {
    const loaded = shelf.load(task);
    if (loaded.codeCacheRejected) extras = { codeCacheRejected: true };
    const imports = importsFor(task, bridge, wasi, exits);
    bridge.announceInstantiation();
    const exports = instantiate(loaded, task, imports, instances);
    if (exports instanceof Promise) throw new LinkError(asyncText);
    const target = exports[task.exportKey]?.run;
    if (target === undefined) throw new LinkError(`the component exports no ${task.exportKey}`);
    bridge.post({ type: 'started' });
    startedAt = performance.now();
    const returned = task.kind === 'capsule' ? target() : target(toGuestInput(task.input ?? {}));
    if (returned instanceof Promise) throw new LinkError(asyncText);
    outcome = { result: task.kind === 'capsule' ? undefined : toToolResult(returned) };
    const codeCache = loaded.codeCache?.();
    if (codeCache !== undefined) extras = { ...extras, codeCache };
  } catch (thrown) {
    outcome = { thrown };
  }
  const durationMs = startedAt === undefined ? 0 : performance.now() - startedAt;
  const failure = failureOf(outcome, instances, bridge, exits);
  const report = { stdout: wasi.stdout(), stderr: wasi.stderr(), outputTruncated: wasi.outputTruncated(), durationMs };
  wasi.close();
  return {
    failure,
    result: failure === undefined && 'result' in outcome ? outcome.result : undefined,
    ...report,
    ...extras,
  };
}

const asyncText =
  'the component was built with the async ABI, which this host does not run; rebuild it with sync exports';

class LinkError extends Error {}

/** Import objects for what the component needs; throws `LinkError` for an interface nobody serves. */
function importsFor(task: CallTask, bridge: WorkerBridge, wasi: WasiHost, exits: ExitError[]) {
  const served: Record<string, Record<string, unknown>> = { ...wasi.imports, ...murmurImports(bridge) };
  const exit = served['wasi:cli/exit'];
  if (exit !== undefined) served['wasi:cli/exit'] = recordExits(exit, exits);
  const missing = task.imports.filter((key) => served[key] === undefined);
  if (missing.length > 0) throw new LinkError(`the host does not serve ${missing.join(', ')}`);
  return served;
}

/** A guest with exception handling can catch the thrown exit and go on; the record decides what the call was. */
function recordExits(functions: Record<string, unknown>, exits: ExitError[]): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(functions).map(([name, original]) => [
      name,
      (...args: unknown[]) => {
        try {
          return (original as (...args: unknown[]) => unknown)(...args);
        } catch (error) {
          if (error instanceof ExitError) exits.push(error);
          throw error;
        }
      },
    ]),
  );
}

/** Denials and host faults first: what the guest made of them is not evidence. */
function failureOf(
  outcome: { result: ToolResult | undefined } | { thrown: unknown },
  instances: InstanceSet,
  bridge: WorkerBridge,
  exits: readonly ExitError[],
): GuestFailure | undefined {
  const denial = instances.denial();
  if (denial !== undefined) return denial;
  if (lift.exceeded) return { kind: 'value-size', limitBytes: liftLimitBytes };
  if (exits[0] !== undefined) return { kind: 'exit', exitCode: exits[0].exitCode };
  if (bridge.fault !== undefined) return { kind: 'trap', reason: bridge.fault.message };
  if (!('thrown' in outcome)) return undefined;
  const { thrown } = outcome;
  if (thrown instanceof InstanceLimitError) return { kind: 'instances' };
  if (thrown instanceof LinkError || thrown instanceof WebAssembly.LinkError) {
    return { kind: 'link-error', reason: thrown.message };
  }
  if (thrown instanceof LiftLimitError) return { kind: 'value-size', limitBytes: liftLimitBytes };
  return { kind: 'trap', reason: trapText(thrown) };
}

function trapText(thrown: unknown): string {
  if (!(thrown instanceof Error)) return `the host import failed with ${safeJson(thrown)}`;
  if ((thrown as NodeJS.ErrnoException).code === 'ERR_ENCODING_INVALID_ENCODED_DATA')
    return 'a string is not valid UTF-8';
  if (thrown instanceof RangeError) {
    if (thrown.message.startsWith('Maximum call stack')) return 'wasm trap: call stack exhausted';
    return `a pointer or length of the guest is outside its memory (${thrown.message})`;
  }
  const text = thrown instanceof WebAssembly.RuntimeError ? wasmTrap(thrown.message) : thrown.message || thrown.name;
  return text.slice(0, 2000);
}

/** The generated code words some traps itself. */
function wasmTrap(message: string): string {
  if (message.startsWith('wasm trap')) return message;
  return message === 'unreachable' ? 'wasm trap: wasm `unreachable` instruction executed' : `wasm trap: ${message}`;
}

function safeJson(value: unknown): string {
  try {
    return JSON.stringify(value)?.slice(0, 500) ?? String(value);
  } catch {
    return String(value);
  }
}

function toGuestInput(input: ToolInput): { data: string | undefined; logPath: string | undefined } {
  return { data: input.data, logPath: input.logPath };
}

/** The members of a tool result and nothing else: plain strings, so it can cross to main. */
function toToolResult(value: unknown): ToolResult {
  const { status, summary, data, dataPath, truncated, metadata } = value as ToolResult;
  return { status, summary, data, dataPath, truncated, metadata };
}
