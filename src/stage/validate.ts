import { MurError } from '../errors/index.js';
import { parseAllowEntry, validateStaging } from '../policy/index.js';
import type { StageDraft } from './draft.js';
import { refuseRuntimePins } from './lock.js';

/** Checks that need no host and no bytes (spec/session.md 4.1 step 1). Throws the first problem in that order. */
export function validate(draft: StageDraft): void {
  const { request } = draft;
  for (const warning of validateStaging(request)) draft.warn(warning.code, warning.message);
  refuseRuntimePins(request);
  refuseUnbuilt(draft);
  draft.networkCeiling = request.policy.networkAllow.map(parseAllowEntry);
}

/**
 * A manifest that asks for something this build cannot enforce or serve is refused before anything exists: running without it
 * would be a weaker capsule than the operator declared, or a more open one.
 */
function refuseUnbuilt({ request }: StageDraft): void {
  const { policy, manifest, inference, artifacts } = request;
  const asked: (readonly [boolean, string])[] = [
    [inference?.transport === 'process', 'inference.transport: process'],
    [policy.shellAllow.length > 0, 'capabilities.shell.allow'],
    [policy.spawnAllow.length > 0, 'capabilities.spawn.allow'],
    [policy.planSubmit, 'capabilities.plan.submit'],
    [policy.installSkill.length + policy.installTool.length > 0, 'capabilities.install'],
    [policy.peerFetchAllow.length > 0, 'capabilities.peer_fetch'],
    [policy.readOnlyPaths.length > 0, 'capabilities.filesystem.read_only'],
    [policy.declaredResources.workdirMaxBytes !== undefined, 'capabilities.resources.workdir_max_bytes'],
    [manifest.network.authentication !== undefined, 'network.authentication'],
    [(inference?.alternates.length ?? 0) > 0, 'inference.alternates'],
    [request.context.retain !== undefined, 'context.retain'],
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
  const keys = asked.filter(([isAsked]) => isAsked).map(([, key]) => key);
  if (keys.length === 0) return;
  throw new MurError('E-RUN-907', `this version of mur cannot serve ${keys.join(', ')} yet, so nothing was started`, {
    hint: `remove ${keys.length === 1 ? 'it' : 'them'} from ${request.manifestFile ?? 'the manifest'}, or use a version that has ${keys.length === 1 ? 'it' : 'them'}`,
  });
}
