import type { StagedComponent } from '../stage/draft.js';
import { mintId } from '../supervise/ids.js';
import type { TaskTrust } from '../task/index.js';
import type { EgressEvent } from '../wasm/egress/index.js';
import type { GuestHost } from '../wasm/index.js';
import { networkOf } from './component.js';
import { type SessionWorld, traceOf } from './world.js';

/** As whom a guest writes to another capsule: what the runtime says of it, and the guest cannot. */
export interface Sender {
  readonly trust: TaskTrust;
  readonly traceparent: string | null;
}

/** A guest that runs for no task. */
export const nobody: Sender = { trust: 'untrusted', traceparent: null };

/**
 * `murmur:message/send` for the component that was staged, or for the capsule's own: to where its own rules let it (spec/wit.md 3.4), with a
 * line of the trace for each message that was taken. Rejects with what the guest gets as its `err`.
 */
export const sendMessage =
  (world: SessionWorld, { trust, traceparent }: Sender, staged?: StagedComponent): NonNullable<GuestHost['send']> =>
  async (peerUrl, given, signal) => {
    const message = given.messageId === '' ? { ...given, messageId: mintId('msg') } : given;
    const { sendToPeer } = await import('../peer/index.js');
    const component = staged?.artifact.name ?? world.draft.request.capsuleName;
    const policy = {
      rules: networkOf(world, staged),
      privateNames: world.draft.request.privateNames,
      gateways: [],
      onEvent: (event: EgressEvent) =>
        world.log.write({ level: 'warn', message: event.type, component, egress: event }),
    };
    const task = await sendToPeer(peerUrl, message, { policy, trust, traceparent, signal });
    traceOf(world).write('a2a_send', {
      peer_url: peerUrl,
      message_id: message.messageId,
      task_id: task.taskId,
      context_id: task.contextId,
      traceparent,
      trust,
    });
    return task;
  };
