import { limitsRecord } from '../inference/index.js';
import type { TraceEvents } from '../trace/index.js';
import { needed, type StageDraft } from './draft.js';
import { runtimePins } from './lock.js';

/** What this session may do, as data: `session_start.effective_grants` (spec/containment.md 18, the part that exists). */
export function scopeReport(draft: StageDraft): Record<string, unknown> {
  const { request, containment } = draft;
  const { policy } = request;
  return {
    containment: { declared: containment?.declared, achieved: containment?.achieved, reason: containment?.reason },
    network: { allow: policy.networkAllow },
    filesystem: { scope: policy.filesystemScope ?? null, work_folder: draft.folders?.accessibleWorkdir ?? null },
    env: { allow: policy.envAllow },
    context: { record_store: request.context.record ? (request.context.recordStore ?? request.capsuleName) : null },
    limits: {
      memory_bytes: policy.limits.memoryBytes,
      table_elements: policy.limits.tableElements,
      instances: policy.limits.instances,
      deadline_seconds: policy.limits.deadlineMs / 1000,
    },
    configured_artifacts: request.artifacts.filter((entry) => entry.config !== undefined).map((entry) => entry.name),
  };
}

/** The fields of `session_start` (spec/trace.md 4.1). */
export function sessionStartFields(draft: StageDraft): TraceEvents['session_start'] {
  const { request, gateways, systemPrompt } = draft;
  const containment = needed(draft.containment, 'contain');
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
    containment_declared: containment.declared,
    containment_achieved: containment.achieved,
    userns_grant: null,
    workdir_exec: request.policy.workdirExecAllowed,
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
    effective_grants: scopeReport(draft),
    ...(draft.limits === undefined ? {} : { model_limits: limitsRecord(draft.limits) }),
  };
}
