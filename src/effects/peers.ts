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

/** Most different lines that one call leaves in the log of its session, wherever its guest tries to go. */
const loggedLinesMax = 20;

/**
 * `murmur:message/send` for one call of the component that was staged, or of the capsule's own: to where its own rules let it (spec/wit.md
 * 3.4), with a line of the trace for each message that was taken. Rejects with what the guest gets as its `err`.
 */
export function sendMessage(
  world: SessionWorld,
  { trust, traceparent }: Sender,
  staged?: StagedComponent,
): NonNullable<GuestHost['send']> {
  const { request } = world.draft;
  const component = staged?.artifact.name ?? request.capsuleName;
  const logged = new Set<string>();
  const onEvent = (event: EgressEvent): void => {
    const what = JSON.stringify(event);
    if (logged.size >= loggedLinesMax || logged.has(what)) return;
    logged.add(what);
    world.log.write({ level: 'warn', message: event.type, component, egress: event });
  };
  return async (peerUrl, given, signal) => {
    const { sendToPeer } = await import('../peer/index.js');
    const message = given.messageId === '' ? { ...given, messageId: mintId('msg') } : given;
    const policy = { rules: networkOf(world, staged), privateNames: request.privateNames, gateways: [], onEvent };
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
}
