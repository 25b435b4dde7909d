import type { StageRequest } from './request.js';

/** Keys of the manifest that this build can neither serve nor enforce, as a person writes them. */
export function unbuiltKeys({ policy, manifest }: Pick<StageRequest, 'policy' | 'manifest'>): readonly string[] {
  const { inference, artifacts, context } = manifest;
  const asked: (readonly [boolean, string])[] = [
    [inference?.transport === 'process', 'inference.transport: process'],
    [policy.spawnAllow.length > 0, 'capabilities.spawn.allow'],
    [policy.planSubmit, 'capabilities.plan.submit'],
    [policy.installSkill.length + policy.installTool.length > 0, 'capabilities.install'],
    [policy.peerFetchAllow.length > 0, 'capabilities.peer_fetch'],
    [policy.readOnlyPaths.length > 0, 'capabilities.filesystem.read_only'],
    [
      policy.declaredResources.workdirMaxBytes !== undefined && policy.shellAllow.length === 0,
      'capabilities.resources.workdir_max_bytes of a capsule without commands',
    ],
    [manifest.network.authentication !== undefined, 'network.authentication'],
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
    [artifacts.some((entry) => entry.capabilities?.state !== undefined), 'artifacts[].capabilities.state'],
  ];
  return asked.filter(([isAsked]) => isAsked).map(([, key]) => key);
}
