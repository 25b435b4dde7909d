/**
 * Every trace event this build writes: its keys in the order they are written, and the node it hangs on (spec/trace.md
 * sections 2 and 4). Not the writer (writer.ts) and not the leading five keys (line.ts).
 */
import {
  count,
  type Fields,
  flag,
  json,
  list,
  nullable,
  object,
  oneOf,
  optional,
  text,
  type ValuesOf,
} from './fields.js';

/** Where a line hangs: on the session, on its task's `task_start`, or on the task's current turn. */
export type Level = 'root' | 'session' | 'task' | 'turn';

export interface EventRow {
  readonly level: Level;
  readonly keys: Fields;
}

const row = <F extends Fields>(level: Level, keys: F): { readonly level: Level; readonly keys: F } => ({ level, keys });

const taskId = nullable(text);
const trust = oneOf('trusted', 'untrusted');
const lockOrigin = oneOf('runtime', 'operator');
const containment = oneOf('unconfined', 'advisory', 'scoped', 'sealed');
const credentialSource = oneOf('config', 'environment', 'manifest', 'keyless', 'none');
/** A host that embeds mur may hand a gateway its credential. */
const gatewayCredentialSource = oneOf('config', 'environment', 'manifest', 'keyless', 'none', 'injected');
const source = oneOf('a2a', 'task_md', 'detached_shell', 'detached_lost');
const callStatus = oneOf('ok', 'error');
const resourceLimit = oneOf('cpu_seconds', 'max_file_size_bytes', 'cgroup_memory_bytes', 'cgroup_pids_max');

const sourceUnreadable = ['missing', 'unreadable', 'unparseable', 'no_entry', 'empty_entry'] as const;

/** What happened to one credential while the session runs; follows its `source`. */
const credentialChange = {
  credential: optional(text),
  change: oneOf('rotated', 'rejected', 'unreadable'),
  trigger: optional(oneOf('file_changed', 'rejection')),
  status: optional(count),
  retried: optional(flag),
};

export const traceEvents = {
  session_start: row('root', {
    capsule_name: text,
    capsule_version: text,
    model: text,
    max_turns: count,
    max_session_tokens: nullable(count),
    machine_tokens_per_day: nullable(count),
    capabilities: list(oneOf('network', 'filesystem', 'shell')),
    tools_declared: list(text),
    tool_refresh: nullable(oneOf('compaction', 'immediate')),
    runtime_artifacts: list(object({ name: text, version: text, origin: lockOrigin, session: text, trust })),
    containment_declared: containment,
    containment_achieved: containment,
    userns_grant: nullable(oneOf('apparmor_absent', 'restriction_disabled_host_wide', 'profile_confining', 'withheld')),
    workdir_exec: flag,
    resumed_from: nullable(text),
    context_id: nullable(text),
    control: optional(object({ settings: list(text), secrets: list(text), agent_settings: optional(list(text)) })),
    inference_choices: optional(
      list(
        object({ name: text, driver: text, model: text, credential_source: gatewayCredentialSource, available: flag }),
      ),
    ),
    spawned_by: optional(text),
    delegation_id: optional(text),
    formation_id: optional(text),
    formation_member: optional(text),
    formation_callees: optional(list(text)),
    system_prompt_source: oneOf('manifest', 'cli', 'none'),
    credential_source: credentialSource,
    gateways: list(object({ artifact: text, host: text, credential_source: gatewayCredentialSource, metered: flag })),
    system_prompt_sha256: nullable(text),
    effective_grants: json,
    host_facts: optional(json),
    model_limits: optional(json),
  }),
  session_end: row('session', {
    total_turns: count,
    total_input_tokens: count,
    total_output_tokens: count,
    total_tool_calls: count,
    total_shell_calls: count,
    duration_ms: count,
    exit_status: oneOf(
      'ok',
      'failed',
      'max_turns_reached',
      'spend_ceiling_reached',
      'canceled',
      'formation_ended',
      'deadline_reached',
    ),
  }),
  retention: row('session', {
    store: oneOf('sessions', 'records'),
    reason: text,
    removed: count,
    targets: list(text),
    messages_dropped: optional(count),
  }),
  artifact_pulled: row('session', {
    name: text,
    version: text,
    runtime: oneOf('skill', 'tool'),
    origin: lockOrigin,
    session: nullable(text),
    trust,
  }),
  tools_refreshed: row('task', {
    turn: count,
    task_id: taskId,
    trigger: oneOf('immediate', 'compaction'),
    added: list(text),
    removed: list(text),
    tools: list(text),
  }),
  component_deadline: row('session', {
    kind: oneOf('capsule', 'tool', 'driver', 'hook'),
    name: text,
    limit_seconds: count,
  }),
  /** A command asked for what no rule allows. Ours: once for each destination and reason, and no more than 256 of a session. */
  egress_denied: row('session', {
    by: oneOf('command'),
    /** `host:port`, or the name that was looked up. */
    target: text,
    reason: oneOf('not-allowed', 'private-address', 'no-admission'),
  }),
  inference_credential: row('session', {
    source: credentialSource,
    ...credentialChange,
    reason: optional(oneOf(...sourceUnreadable)),
  }),
  gateway_credential: row('session', {
    artifact: text,
    source: gatewayCredentialSource,
    ...credentialChange,
    reason: optional(oneOf(...sourceUnreadable, 'not_injected')),
  }),

  a2a_task_received: row('session', {
    task_id: text,
    context_id: text,
    message_id: text,
    traceparent_from_caller: nullable(text),
    caller_member: optional(text),
  }),
  task_start: row('session', {
    task_id: text,
    context_id: text,
    source,
    origin: oneOf('user', 'peer', 'schedule', 'event', 'completion', 'system'),
    trust,
    lane: oneOf('user', 'peer', 'bg'),
    delegation_id: optional(text),
    message_parts_bytes: count,
  }),
  task_end: row('task', {
    task_id: text,
    exit_status: oneOf(
      'ok',
      'failed',
      'max_turns_reached',
      'spend_ceiling_reached',
      'reopen_budget_exhausted',
      'canceled',
      'no_answer',
    ),
    duration_ms: count,
    turns: count,
    input_tokens: count,
    output_tokens: count,
    tool_calls: count,
    shell_calls: count,
    reopen_count: count,
  }),
  task_canceled: row('task', {
    task_id: text,
    turn: optional(count),
    phase: oneOf('queued', 'turn', 'inference', 'input', 'delegation', 'member_call', 'harness', 'plan'),
    detached_work_ids: list(text),
    delegation_ids: list(text),
  }),
  task_rejected: row('session', {
    task_id: text,
    context_id: text,
    source,
    cause: oneOf('session_ended', 'session_stopped'),
    reason: text,
  }),
  task_failed: row('task', {
    task_id: optional(text),
    turn: optional(count),
    cause: oneOf(
      'driver_error',
      'credential_rejected',
      'malformed_response',
      'compaction_hook',
      'input_timeout',
      'reopen_budget_exhausted',
      'runtime_error',
    ),
    reason: text,
  }),
  context_seed: row('task', {
    task_id: text,
    hook_name: text,
    tokens: count,
    proposed_tokens: count,
    budget_tokens: count,
    outcome: oneOf('seeded', 'trimmed', 'compacted', 'rejected'),
    reason: optional(text),
    message_ids: list(text),
  }),
  a2a_send: row('session', {
    peer_url: text,
    message_id: text,
    task_id: text,
    context_id: text,
    traceparent: nullable(text),
    trust,
  }),

  /** Hangs on its task, or on the current turn when a hook asked for it (`origin`). */
  inference: row('task', {
    turn: count,
    task_id: taskId,
    input_tokens: optional(count),
    output_tokens: optional(count),
    decision: oneOf('tool_call', 'end_turn', 'text', 'error'),
    stop_reason: optional(text),
    tool_name: nullable(text),
    input_tokens_actual: optional(count),
    output_tokens_actual: optional(count),
    cached_tokens: optional(count),
    cache_write_tokens: optional(count),
    thinking_tokens: optional(count),
    origin: optional(text),
    driver_choice: optional(text),
    model: optional(text),
    message_ids: optional(list(text)),
    system_sha: optional(text),
    tools_sha: optional(text),
    response_sha: optional(text),
    message_shas: optional(list(text)),
    error_code: optional(
      oneOf(
        'credential_rejected',
        'driver_error',
        'driver_failed',
        'malformed_response',
        'harness_auth',
        'harness_quota',
        'harness_error',
        'harness_other',
        'harness_inactive',
      ),
    ),
    error: optional(text),
    provider_status: optional(count),
  }),
  compaction: row('turn', { turn: count, task_id: taskId, tokens_before: count, tokens_after: count }),
  compaction_declined: row('turn', {
    turn: count,
    task_id: taskId,
    tokens: count,
    reason: oneOf('no_hook_replacement', 'unresolved_tool_call'),
  }),
  spend_ceiling_reached: row('turn', {
    turn: count,
    task_id: taskId,
    limit: oneOf('session', 'machine'),
    ceiling: count,
    used: count,
    requested: count,
    origin: optional(text),
  }),

  tool_call: row('turn', {
    turn: count,
    task_id: taskId,
    tool_name: text,
    tool_call_id: nullable(text),
    input: json,
    input_bytes: count,
    output: optional(text),
    output_bytes: count,
    duration_ms: count,
    status: callStatus,
    state_effect: optional(oneOf('read', 'mutate')),
    resource_id: optional(text),
    error: optional(text),
  }),
  skill_call: row('turn', {
    turn: count,
    task_id: taskId,
    skill_name: text,
    output_bytes: count,
    duration_ms: count,
    status: callStatus,
    origin: lockOrigin,
    trust,
  }),
  tool_input_refused: row('turn', {
    turn: count,
    task_id: taskId,
    tool_name: text,
    tool_call_id: nullable(text),
    missing: list(text),
    reason: text,
  }),
  /** A call that would write a read-only path. Nothing ran, and there is no `tool_call` of it. */
  protected_path_denied: row('turn', {
    turn: count,
    task_id: taskId,
    call: oneOf('shell', 'tool'),
    target: text,
    path: text,
    rule: text,
    signal: text,
    reason: text,
  }),

  /** Follows its `tool_call`. */
  shell: row('turn', {
    turn: count,
    task_id: taskId,
    binary: text,
    command: text,
    exit_code: count,
    stdout_bytes: count,
    stderr_bytes: count,
    duration_ms: count,
    resource_limit: optional(resourceLimit),
  }),
  /** On the disk before the model sees the work id. */
  shell_detached: row('turn', {
    turn: count,
    task_id: taskId,
    work_id: text,
    binary: text,
    command: text,
    grace_ms: count,
  }),
  /** `shell_detached` could not be written; the command is in the background all the same. */
  shell_detach_unrecorded: row('turn', { turn: count, task_id: taskId, work_id: text, binary: text, reason: text }),
  shell_completed: row('session', {
    work_id: text,
    binary: text,
    command: text,
    exit_code: count,
    duration_ms: count,
    output_path: text,
    output_bytes: count,
    resource_limit: optional(resourceLimit),
    status: callStatus,
    completion_task_id: text,
  }),
  /** After `session_end`. With an exit code: it ended by itself while the session did. */
  shell_abandoned: row('session', {
    work_id: text,
    binary: text,
    command: text,
    running_ms: count,
    exit_code: optional(count),
    output_path: optional(text),
    output_bytes: optional(count),
  }),
  /** Appended by a resume, to the trace it resumes: that session was killed while the command ran. */
  shell_lost: row('session', {
    work_id: text,
    binary: text,
    command: text,
    detached_at_ms: count,
    reconciled_by_session: text,
    reconciled_task_id: text,
  }),
} satisfies Record<string, EventRow>;

export type TraceEventType = keyof typeof traceEvents;

/** The own keys of each event, without the five leading ones. */
export type TraceEvents = { [E in TraceEventType]: ValuesOf<(typeof traceEvents)[E]['keys']> };
