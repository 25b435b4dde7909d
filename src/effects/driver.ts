import type { GuestEvent } from '../../workers/protocol.js';
import { type DriverOutcome, type DriverRequest, readDriverCall } from '../inference/index.js';
import { needed } from '../stage/draft.js';
import { type EgressEvent, guestEndpoint } from '../wasm/egress/index.js';
import { callComponent } from './component.js';
import { traceCredential } from './credential.js';
import { requestInput } from './input.js';
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
  const outcome = await callComponent(world, {
    kind: 'driver',
    name: driver.artifact.name,
    component: driver.component,
    input: { data: request.text },
    depth: 0,
    staged: driver,
    signal,
    host: {
      event: (event) => {
        heard(world, taskId, event);
      },
      requestInput: requestInput(world, taskId),
    },
    onEgress: (event) => noteEgress(world, event, seen),
  });
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

/** What a driver says while it works goes to whoever watches, from inside this process and at the door. */
function heard({ draft, feed, secrets }: SessionWorld, taskId: string, event: GuestEvent): void {
  switch (event.type) {
    case 'chunk': {
      const text = secrets.redactKeys(event.text);
      draft.notify({ type: 'text.chunk', taskId, text });
      feed.text(taskId, text);
      return;
    }
    case 'thinking': {
      const text = secrets.redactKeys(event.text);
      draft.notify({ type: 'thinking.chunk', taskId, text });
      feed.thinking(taskId, text);
      return;
    }
    case 'tool-call-started':
      feed.callBegan(taskId, event.id, event.name);
      return;
    case 'tool-call-input-bytes':
      feed.callGrew(taskId, event.id, event.bytes);
      return;
    default:
      return;
  }
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
