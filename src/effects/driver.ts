import type { GuestEvent } from '../../workers/protocol.js';
import { type DriverOutcome, type DriverRequest, readDriverCall } from '../inference/index.js';
import { needed } from '../stage/draft.js';
import { type EgressEvent, guestEndpoint } from '../wasm/egress/index.js';
import { callComponent } from './component.js';
import { traceCredential } from './credential.js';
import type { TaskWork } from './work.js';
import type { SessionWorld } from './world.js';

/** Runs the driver component once with `request`; its text streams as notices while it does. Never throws for what it answers. */
export async function callDriver(
  world: SessionWorld,
  work: TaskWork,
  request: DriverRequest,
  signal: AbortSignal,
): Promise<{ outcome: DriverOutcome; responseText: string | undefined }> {
  const driver = needed(world.draft.driver, 'compile');
  const { taskId } = work.request;
  const seen: { providerStatus?: number; rejected?: string } = {};
  const listener = listen(world, taskId);
  const outcome = await callComponent(world, {
    kind: 'driver',
    name: driver.artifact.name,
    component: driver.component,
    input: { data: request.text },
    depth: 0,
    staged: driver,
    signal,
    host: {
      event: listener.hear,
    },
    onEgress: (event) => noteEgress(world, event, seen),
  });
  listener.end();
  const responseText = outcome.status === 'returned' ? (outcome.result?.data ?? outcome.result?.summary) : undefined;
  return {
    outcome: readDriverCall(outcome, {
      redact: failureText(world),
      ...(seen.providerStatus === undefined ? {} : { providerStatus: seen.providerStatus }),
      ...(seen.rejected === undefined ? {} : { credentialRejected: seen.rejected }),
    }),
    responseText,
  };
}

/**
 * What a driver says while it works goes to whoever watches, from inside this process and at the door. Text and thinking are each one
 * text: a key that was cut in two is found.
 */
function listen({ draft, feed, secrets }: SessionWorld, taskId: string) {
  const pieces = { text: secrets.redactPieces(), thinking: secrets.redactPieces() };
  const tell = (kind: keyof typeof pieces, text: string) => {
    if (text === '') return;
    draft.notify({ type: `${kind}.chunk`, taskId, text });
    feed[kind](taskId, text);
  };
  return {
    hear(event: GuestEvent): void {
      switch (event.type) {
        case 'chunk':
          tell('text', pieces.text.push(event.text));
          return;
        case 'thinking':
          tell('thinking', pieces.thinking.push(event.text));
          return;
        case 'tool-call-started':
          feed.callBegan(taskId, event.id, event.name);
          return;
        case 'tool-call-input-bytes':
          feed.callGrew(taskId, event.id, event.bytes);
          return;
        default:
          return;
      }
    },
    /** The driver has returned: what was held back is told. */
    end(): void {
      tell('thinking', pieces.thinking.end());
      tell('text', pieces.text.end());
    },
  };
}

/** Failures name the operator's endpoint: what a person can look into is not the address the guest sends to. Keys go, too. */
function failureText(world: SessionWorld): (text: string) => string {
  const redact = world.secrets.redactKeys;
  const route = world.draft.gateways.get(needed(world.draft.driver, 'compile').artifact.name)?.route;
  if (route === undefined) return redact;
  const operatorEndpoint = `${route.upstream.origin}${route.endpointPath}`;
  return (text) => redact(text).replaceAll(guestEndpoint(route), () => operatorEndpoint);
}

/** Credential changes go to the trace; a final rejection becomes the text of the failed call. */
function noteEgress(
  world: SessionWorld,
  event: EgressEvent,
  seen: { providerStatus?: number; rejected?: string },
): void {
  switch (event.type) {
    case 'gateway.responded':
      seen.providerStatus = event.status;
      return;
    case 'gateway.credential-accepted':
      delete seen.rejected;
      return;
    case 'gateway.credential-rejected':
      traceCredential(world, needed(world.draft.driver, 'compile').artifact.name, {
        type: 'rejected',
        source: event.source,
        retried: event.retried,
      });
      seen.rejected = `the provider rejected the inference credential from ${event.source} (HTTP 401)${event.retried ? '; re-read, new value rejected too' : ''}`;
      return;
    default:
      world.log.write({ level: 'warn', message: event.type, egress: event });
  }
}
