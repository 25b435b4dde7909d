import { stripRule } from './patterns.js';
import type { CapabilityPolicy } from './policy.js';

/**
 * Names the runtime sets itself or takes from its launcher (spec/config.md section 10). A host value of one of them never
 * reaches a guest: it would pose as the runtime's word, or hand on a formation's or a spawner's handle.
 */
const runtimeNames: ReadonlySet<string> = new Set([
  'MURMUR_SESSION_ID',
  'MURMUR_CAPSULE_NAME',
  'MURMUR_CAPSULE_VERSION',
  'MURMUR_CAPSULE_URL',
  'MURMUR_RUNTIME_DIR',
  'MURMUR_RECORDS_DIR',
  'MURMUR_INFERENCE_TRANSPORT',
  'MURMUR_INFERENCE_MODEL',
  'MURMUR_INFERENCE_DRIVER',
  'MURMUR_INFERENCE_ENDPOINT',
  'MURMUR_INFERENCE_DRIVER_CONFIG',
  'MURMUR_INFERENCE_API_KEY',
  'MURMUR_ARTIFACT_CONFIG',
  'MURMUR_GATEWAY_ENDPOINT',
  'MURMUR_STATE_DIR',
  'MURMUR_DOOR_TOKEN',
  'MURMUR_FORMATION_ID',
  'MURMUR_FORMATION_CHANNEL',
  'MURMUR_FORMATION_LIFELINE',
  'MURMUR_FORMATION_PEERS',
  'MURMUR_SPAWNER',
  'MURMUR_SPAWNER_LIFELINE',
]);

/** True for a variable whose host value is never handed on. */
export function isRuntimeVariable(name: string): boolean {
  return runtimeNames.has(name);
}

/**
 * The host variables a WASM guest sees: those `capabilities.env.allow` names that are set on the host and that no
 * credential pattern or `strip_env` removes. In declaration order, each once. Runtime variables are added by the caller.
 *
 * Does not stop: a secret in a variable whose name reads like none (`W-SEC-024` warns about some).
 */
export function guestEnvironment(
  policy: Pick<CapabilityPolicy, 'envAllow' | 'shellStripEnv'>,
  hostEnv: Readonly<Record<string, string | undefined>>,
): [string, string][] {
  const pairs: [string, string][] = [];
  for (const name of new Set(policy.envAllow)) {
    const value = Object.hasOwn(hostEnv, name) ? hostEnv[name] : undefined;
    if (value === undefined || isRuntimeVariable(name) || stripRule(name, policy.shellStripEnv) !== undefined) continue;
    pairs.push([name, value]);
  }
  return pairs;
}
