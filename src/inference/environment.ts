import type { ConfigBlock } from '../manifest/index.js';

/** Name and value pairs, in the order a guest sees them. */
export type Environment = readonly (readonly [string, string])[];

/** What the guest is to its session. Hooks get none of these variables (hooks.md 7.1). */
export type GuestRole = 'inference-driver' | 'tool' | 'capsule';

export interface GuestIdentity {
  readonly sessionId: string;
  readonly capsuleName: string;
  readonly capsuleVersion: string;
  /** `localhost:<port>`, once the door is bound. A script capsule has none. */
  readonly capsuleUrl?: string | undefined;
}

export interface GuestInference {
  readonly transport: 'http' | 'process';
  /** The primary choice, except inside a call another choice serves. `''` when a process manifest omits it. */
  readonly model: string;
  readonly driver: string;
  /** Absent when `inference.driver.config` is. */
  readonly driverConfig?: ConfigBlock | undefined;
}

export interface GuestEnvironmentInput {
  readonly role: GuestRole;
  readonly identity: GuestIdentity;
  readonly inference?: GuestInference | undefined;
  /** Inference drivers under http only: the gateway address of the choice that serves the call. */
  readonly endpoint?: string | undefined;
  /** Inference drivers with a keyed gateway only: the session's placeholder. Never the key. */
  readonly keyPlaceholder?: string | undefined;
  /** This artifact's own `config:`. */
  readonly artifactConfig?: ConfigBlock | undefined;
  /** This artifact's own gateway address. */
  readonly gatewayEndpoint?: string | undefined;
  /** The guest's name of its state store. */
  readonly stateDir?: string | undefined;
}

/**
 * The `MURMUR_*` variables of one guest (drivers.md section 3, config.md 10.3). Values that belong to inference drivers are
 * left out for every other role even when they are given.
 */
export function runtimeEnvironment(input: GuestEnvironmentInput): Environment {
  const { identity, inference } = input;
  const isDriver = input.role === 'inference-driver';
  const pairs: (readonly [string, string | undefined])[] = [
    ['MURMUR_SESSION_ID', identity.sessionId],
    ['MURMUR_CAPSULE_NAME', identity.capsuleName],
    ['MURMUR_CAPSULE_VERSION', identity.capsuleVersion],
    ['MURMUR_CAPSULE_URL', identity.capsuleUrl],
    ['MURMUR_INFERENCE_TRANSPORT', inference?.transport],
    ['MURMUR_INFERENCE_MODEL', inference?.model],
    ['MURMUR_INFERENCE_DRIVER', inference?.driver],
    ['MURMUR_INFERENCE_DRIVER_CONFIG', inference?.driverConfig?.json],
    ['MURMUR_INFERENCE_ENDPOINT', isDriver && inference?.transport === 'http' ? input.endpoint : undefined],
    ['MURMUR_INFERENCE_API_KEY', isDriver ? input.keyPlaceholder : undefined],
    ['MURMUR_ARTIFACT_CONFIG', input.artifactConfig?.json],
    ['MURMUR_GATEWAY_ENDPOINT', input.gatewayEndpoint],
    ['MURMUR_STATE_DIR', input.stateDir],
  ];
  return pairs.filter((pair): pair is readonly [string, string] => pair[1] !== undefined);
}

/** Both lists as one, each name once; `runtime` wins, so a manifest cannot shadow a `MURMUR_*` value (session.md 4.3). */
export function mergeEnvironment(granted: Environment, runtime: Environment): Environment {
  return [...new Map([...granted, ...runtime])];
}
