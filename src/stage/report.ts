import { limitsRecord } from '../inference/index.js';
import type { TraceEvents } from '../trace/index.js';
import { needed, type StageDraft } from './draft.js';
import { runtimePins } from './lock.js';

/** The fields of `session_start` (spec/trace.md 4.1). */
export function sessionStartFields(draft: StageDraft): TraceEvents['session_start'] {
  const { request, gateways, systemPrompt } = draft;
  const grants = needed(draft.scopeReport, 'contain');
  const driverPlan = draft.driver === undefined ? undefined : gateways.get(draft.driver.artifact.name);
  return {
    capsule_name: request.capsuleName,
    capsule_version: request.capsuleVersion,
    model: request.inference?.model ?? '',
    max_turns: request.inference?.maxTurns ?? 0,
    max_session_tokens: request.inference?.maxSessionTokens ?? null,
    machine_tokens_per_day: null,
    capabilities: [
      ...(request.policy.networkAllow.length > 0 ? (['network'] as const) : []),
      ...(request.manifest.capabilities?.filesystem === undefined ? [] : (['filesystem'] as const)),
      ...(request.policy.shellAllow.length > 0 ? (['shell'] as const) : []),
    ],
    tools_declared: needed(draft.inventory, 'write').definitions.map(({ name }) => name),
    tool_refresh: request.inference?.toolRefresh ?? null,
    runtime_artifacts: runtimePins(request),
    containment_declared: grants.declared_containment,
    containment_achieved: grants.achieved_containment,
    userns_grant: grants.userns_grant,
    workdir_exec: grants.workdir_exec,
    resumed_from: null,
    context_id: request.contextId ?? null,
    system_prompt_source: systemPrompt?.source ?? 'none',
    credential_source: driverPlan?.credential.source ?? 'none',
    gateways: [...gateways].map(([artifact, plan]) => ({
      artifact,
      host: plan.route.upstream.host,
      credential_source: plan.credential.source,
      metered: artifact === draft.driver?.artifact.name,
    })),
    system_prompt_sha256: systemPrompt?.sha256 ?? null,
    effective_grants: grants,
    ...(draft.limits === undefined ? {} : { model_limits: limitsRecord(draft.limits) }),
  };
}
