import { closeSync } from 'node:fs';
import { join } from 'node:path';
import type { GuestKind, Preopen, ToolInput } from '../../workers/protocol.js';
import { type GuestEnvironmentInput, mergeEnvironment, runtimeEnvironment } from '../inference/index.js';
import type { NetworkRule } from '../policy/index.js';
import { guestEnvironment } from '../policy/index.js';
import { needed, type StagedComponent, type StagedDriver } from '../stage/draft.js';
import { createEgress, type EgressEvent, guestEndpoint } from '../wasm/egress/index.js';
import type { CallOutcome, Component, GuestHost } from '../wasm/index.js';
import { type SessionWorld, traceOf } from './world.js';

/** The guest's name of its state store, beside `.` (spec/session.md 4.3). */
const stateName = 'state';

export interface ComponentCall {
  readonly kind: GuestKind;
  readonly name: string;
  readonly component: Component;
  readonly input?: ToolInput;
  readonly depth: number;
  readonly host: GuestHost;
  readonly signal?: AbortSignal;
  /** Absent for a capsule component, which runs on the whole ceiling. */
  readonly staged?: StagedComponent;
  readonly onEgress?: (event: EgressEvent) => void;
}

/**
 * Runs one component call with exactly what its grant gives: variables, one directory, its allow rules, its gateway.
 * Everything opened for the call is closed when it ends. Never throws for what the guest does.
 */
export async function callComponent(world: SessionWorld, call: ComponentCall): Promise<CallOutcome> {
  const { draft } = world;
  const { request } = draft;
  const preopen = openWorkFolder(world, call.staged?.filesystemScope ?? '.');
  const store = call.staged && draft.stateStores.get(call.staged.artifact.name);
  const egress = createEgress({
    rules: networkOf(world, call.staged),
    privateNames: request.privateNames,
    gateways: call.staged?.route === undefined ? [] : [call.staged.route],
    ...(call.onEgress === undefined ? {} : { onEvent: call.onEgress }),
  });
  try {
    const answered = await draft.wasm.call({
      component: call.component,
      kind: call.kind,
      name: call.name,
      ...(call.input === undefined ? {} : { input: call.input }),
      depth: call.depth,
      limits: request.policy.limits,
      env: mergeEnvironment(
        guestEnvironment(request.policy, request.hostEnv),
        runtimeEnvironment(environmentOf(world, call)),
      ),
      preopens: [
        preopen,
        ...(store === undefined ? [] : [{ guestPath: stateName, readOnly: false, hostPath: store.path, fd: store.fd }]),
      ],
      egress,
      host: call.host,
      ...(call.signal === undefined ? {} : { signal: call.signal }),
    });
    // Also a key that was rotated out or in during the call.
    const outcome = redacted(answered, world.secrets.redactKeys);
    noteOutput(world, call, outcome);
    return outcome;
  } finally {
    egress.close();
    if (preopen.owned) closeSync(preopen.fd);
  }
}

/**
 * The outcome without the keys of the gateways. No guest has them, but a provider that repeats the key it was sent would bring it
 * into conversations, records, tool inputs and the work folder. Does not stop: a key in another encoding.
 */
function redacted(outcome: CallOutcome, redact: (text: string) => string): CallOutcome {
  const report = { stdout: redact(outcome.stdout), stderr: redact(outcome.stderr) };
  if (outcome.status === 'failed') {
    return { ...outcome, ...report, failure: { ...outcome.failure, message: redact(outcome.failure.message) } };
  }
  const { result } = outcome;
  if (result === undefined) return { ...outcome, ...report };
  const text = (value: string | undefined) => (value === undefined ? undefined : redact(value));
  const metadata = result.metadata.map(([key, value]): [string, string] => [key, redact(value)]);
  return {
    ...outcome,
    ...report,
    result: { ...result, summary: text(result.summary), data: text(result.data), metadata },
  };
}

/** Where that component may connect to; the capsule's own one, where none is named. */
export function networkOf(world: SessionWorld, staged: StagedComponent | undefined): readonly NetworkRule[] {
  return staged?.network ?? needed(world.draft.networkCeiling, 'validate');
}

function openWorkFolder(world: SessionWorld, scope: string): Preopen & { readonly owned: boolean } {
  const root = needed(world.draft.folders, 'mint').accessibleRoot;
  const { all, paths } = world.draft.protectedPaths?.below(scope) ?? { all: false, paths: [] };
  const preopen = { guestPath: '.', readOnly: all, protect: paths, hostPath: join(root.path, scope) };
  if (scope === '.') return { ...preopen, fd: root.fd, owned: false };
  root.mkdir(scope, 0o755);
  return { ...preopen, fd: root.openDirectory(scope), owned: true };
}

function environmentOf(world: SessionWorld, call: ComponentCall): GuestEnvironmentInput {
  const { request, driver, sessionId } = world.draft;
  const role = call.kind === 'driver' ? 'inference-driver' : call.kind;
  const route = call.staged?.route;
  const serving = call.kind === 'driver' ? (call.staged as StagedDriver | undefined) : undefined;
  return {
    role,
    identity: {
      sessionId: needed(sessionId, 'mint'),
      capsuleName: request.capsuleName,
      capsuleVersion: request.capsuleVersion,
      capsuleUrl: world.url,
    },
    ...(request.inference === undefined
      ? {}
      : {
          inference: {
            transport: request.inference.transport,
            model: driver?.model ?? request.inference.model,
            driver: request.inference.driver.artifact,
            driverConfig: request.inference.driver.config,
          },
        }),
    ...(route === undefined ? {} : { endpoint: guestEndpoint(route), gatewayEndpoint: guestEndpoint(route) }),
    ...(serving?.route?.placeholder === undefined ? {} : { keyPlaceholder: serving.route.placeholder }),
    ...(call.staged?.artifact.entry.config === undefined ? {} : { artifactConfig: call.staged.artifact.entry.config }),
    ...(call.staged !== undefined && world.draft.stateStores.has(call.staged.artifact.name)
      ? { stateDir: stateName }
      : {}),
  };
}

/** Captured output goes to the session's log; a deadline goes to the trace too. */
function noteOutput(world: SessionWorld, call: ComponentCall, outcome: CallOutcome): void {
  const facts = { component: call.name, kind: call.kind };
  if (outcome.stdout !== '') world.log.write({ level: 'info', message: outcome.stdout, ...facts, stream: 'stdout' });
  if (outcome.stderr !== '') world.log.write({ level: 'info', message: outcome.stderr, ...facts, stream: 'stderr' });
  if (outcome.status !== 'failed') return;
  world.log.write({ level: 'warn', message: outcome.failure.message, ...facts, failure: outcome.failure.kind });
  if (outcome.failure.kind !== 'deadline') return;
  traceOf(world).write('component_deadline', {
    kind: call.kind,
    name: call.name,
    limit_seconds: Math.round(world.draft.request.policy.limits.deadlineMs / 1000),
  });
}
