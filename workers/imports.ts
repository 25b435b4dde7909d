/**
 * The `murmur:*` functions a guest imports, as the generated code expects them: one object per interface, camelCase names, the
 * `err` of a result thrown as a bare value. Which kind may import what is decided on main before the call (src/wasm/link.ts),
 * so every function of these worlds is here. Not `wasi:*` (wasi/). Signatures: spec/wit.md sections 3 and 4.
 */
import type { GuestBridge } from './protocol.js';

type Functions = Record<string, (...args: never[]) => unknown>;

/** Most arguments and variables of one program; more than any kernel passes on. */
const wordsMax = 262_144;

export function murmurImports(bridge: GuestBridge): Record<string, Functions> {
  const emitChunk = (text: string) => bridge.post({ type: 'chunk', text });
  const emitThinkingChunk = (text: string) => bridge.post({ type: 'thinking', text });
  const manage =
    (verb: string) =>
    (...args: unknown[]) =>
      bridge.call('artifact.manage', { verb, args });
  return {
    'murmur:tool-registry/invoke': {
      invoke: (name: string, input: unknown) => bridge.call('registry.invoke', { name, input }),
    },
    'murmur:task/task': {
      requestInput: (prompt: string) => bridge.call('task.request-input', { prompt }),
    },
    'murmur:text/chunks': { emitChunk, emitThinkingChunk },
    'murmur:stream/events': {
      emitChunk,
      emitThinkingChunk,
      toolCallStarted: (id: string, name: string) => bridge.post({ type: 'tool-call-started', id, name }),
      // Exact up to 2^53: more input than any call can carry.
      toolCallInputBytes: (id: string, bytes: bigint) =>
        bridge.post({ type: 'tool-call-input-bytes', id, bytes: Number(bytes) }),
    },
    'murmur:artifact-manager/manage': {
      list: manage('list'),
      describe: manage('describe'),
      search: manage('search'),
      pull: manage('pull'),
      remove: manage('remove'),
      diagnostics: manage('diagnostics'),
    },
    'murmur:message/send': {
      send: (peerUrl: string, message: unknown) => bridge.call('message.send', { peerUrl, message }),
    },
    'murmur:shell/execute': {
      run: (binary: string, args: string[], env: [string, string][]) => {
        // Empty texts count for nothing in what may leave a guest (lift.ts), and millions of them would be copied to main.
        if (args.length + env.length > wordsMax) throw `more than ${wordsMax} arguments and variables`;
        return bridge.call('shell.run', { binary, args, env });
      },
    },
  };
}
