import { MurError } from '../errors/index.js';
import type { StageRequest } from './request.js';

/**
 * A manifest that asks for something this build cannot enforce or serve is refused before anything exists: running without it
 * would be a weaker capsule than the operator declared, or a more open one. Throws `E-RUN-907`.
 */
export function refuseUnbuilt({ request }: { readonly request: StageRequest }): void {
  const keys = unbuiltKeys(request);
  if (keys.length === 0) return;
  throw new MurError('E-RUN-907', `this version of mur cannot serve ${keys.join(', ')} yet, so nothing was started`, {
    hint: `remove ${keys.length === 1 ? 'it' : 'them'} from ${request.manifestFile ?? 'the manifest'}, or use a version that has ${keys.length === 1 ? 'it' : 'them'}`,
  });
}

/** Keys of the manifest that this build can neither serve nor enforce, as a person writes them. */
export function unbuiltKeys({ policy, manifest }: Pick<StageRequest, 'policy' | 'manifest'>): readonly string[] {
  const { inference, artifacts, context } = manifest;
  const asked: (readonly [boolean, string])[] = [
    [inference?.transport === 'process', 'inference.transport: process'],
    [policy.spawnAllow.length > 0, 'capabilities.spawn.allow'],
    [policy.planSubmit, 'capabilities.plan.submit'],
    [policy.installSkill.length + policy.installTool.length > 0, 'capabilities.install'],
    [policy.peerFetchAllow.length > 0, 'capabilities.peer_fetch'],
    [(inference?.alternates.length ?? 0) > 0, 'inference.alternates'],
    [context.retain !== undefined, 'context.retain'],
    [manifest.observability.otelEndpoint !== undefined, 'observability.otel_endpoint'],
    [inference?.maxSessionTokens !== undefined, 'inference.max_session_tokens'],
    [manifest.exports?.files !== undefined || manifest.exports?.peerFiles !== undefined, 'exports'],
    [
      manifest.control.settings.length + manifest.control.secrets.length + manifest.control.agentSettings.length > 0,
      'control',
    ],
    [artifacts.some((entry) => entry.runtime === 'hook'), 'artifacts with runtime: hook'],
  ];
  return asked.filter(([isAsked]) => isAsked).map(([, key]) => key);
}

/** What somebody who looks at such a manifest, and does not run it, is told. */
export function unbuiltNote(keys: readonly string[]): string {
  return `mur run would refuse this capsule (E-RUN-907): this version of mur cannot serve ${keys.join(', ')} yet`;
}
