/**
 * Main's answers to a guest's synchronous imports. The policy of an import lives in the host functions given here; this file
 * only routes, and turns what they throw into what the guest gets: an `err` payload where the import has one, else a trap.
 * Not the waiting (bridge.ts).
 */

import type { BridgeReply } from '../../workers/message.js';
import type { ToolInput } from '../../workers/protocol.js';
import { reasonOf } from '../errors/index.js';
import type { EgressSession, GuestHost, PeerMessage, ShellRun } from './types.js';

export interface AnswerContext {
  readonly host: GuestHost;
  readonly egress: EgressSession;
  /** Depth a nested call runs at. */
  readonly nestedDepth: number;
  readonly signal: AbortSignal;
}

/** Imports whose every failure has a place in their `result<_, string>`. `list` returns no result, so it can only trap. */
const noErr = new Set(['list']);

export async function answer(op: string, args: unknown, context: AnswerContext): Promise<BridgeReply> {
  if (op.startsWith('http.')) return settle(() => context.egress.handle(op, args), trapOrPayload(op));
  switch (op) {
    case 'registry.invoke': {
      const { name, input } = args as { name: string; input: ToolInput };
      const { host, nestedDepth, signal } = context;
      if (host.invoke === undefined) return notGranted('tool-registry/invoke');
      return settle(() => host.invoke!(name, input, nestedDepth, signal), errText);
    }
    case 'task.request-input': {
      const { prompt } = args as { prompt: string };
      const { host, signal } = context;
      if (host.requestInput === undefined) {
        return { status: 'fault', message: 'request-input: no task is waiting for input in this session' };
      }
      return settle(
        () => host.requestInput!(prompt, signal),
        (error) => fault(`request-input: ${reasonOf(error)}`),
      );
    }
    case 'artifact.manage': {
      const { verb, args: values } = args as { verb: string; args: readonly unknown[] };
      const { host } = context;
      if (host.manage === undefined) {
        return noErr.has(verb) ? { status: 'value', value: [] } : notGranted('artifact-manager/manage');
      }
      return settle(() => host.manage!(verb, values), noErr.has(verb) ? trapOrPayload(op) : errText);
    }
    case 'message.send': {
      const { peerUrl, message } = args as { peerUrl: string; message: PeerMessage };
      const { host, signal } = context;
      if (host.send === undefined) return notGranted('message/send');
      return settle(() => host.send!(peerUrl, message, signal), errText);
    }
    case 'shell.run': {
      const { host, signal } = context;
      if (host.shell === undefined) return notGranted('shell/execute');
      return settle(() => host.shell!(args as ShellRun, signal), errText);
    }
    default:
      return fault(`${op}: no such host function`);
  }
}

async function settle(run: () => Promise<unknown>, failed: (error: unknown) => BridgeReply): Promise<BridgeReply> {
  try {
    return { status: 'value', value: await run() };
  } catch (error) {
    return failed(error);
  }
}

const fault = (message: string): BridgeReply => ({ status: 'fault', message });

const errText = (error: unknown): BridgeReply => ({ status: 'payload', payload: reasonOf(error) });

/** A thrown plain value is the import's error case; an `Error` is a failure of ours. */
const trapOrPayload =
  (op: string) =>
  (error: unknown): BridgeReply =>
    error instanceof Error ? fault(`${op}: ${reasonOf(error)}`) : { status: 'payload', payload: error };

const notGranted = (what: string): BridgeReply => ({
  status: 'payload',
  payload: `not granted: ${what} is not available to this component`,
});
