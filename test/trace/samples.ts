import type { TraceEvents } from '../../src/trace/index.js';

/** Complete fields of the events most tests write. */
export const sessionStart: TraceEvents['session_start'] = {
  capsule_name: 'demo',
  capsule_version: '0.1.0',
  model: 'rehearsal',
  max_turns: 10,
  max_session_tokens: null,
  machine_tokens_per_day: null,
  capabilities: ['filesystem'],
  tools_declared: ['files'],
  tool_refresh: 'compaction',
  runtime_artifacts: [],
  containment_declared: 'advisory',
  containment_achieved: 'advisory',
  userns_grant: null,
  workdir_exec: false,
  resumed_from: null,
  context_id: null,
  system_prompt_source: 'manifest',
  credential_source: 'none',
  gateways: [],
  system_prompt_sha256: null,
  effective_grants: {},
};

export const sessionEnd: TraceEvents['session_end'] = {
  total_turns: 1,
  total_input_tokens: 1,
  total_output_tokens: 1,
  total_tool_calls: 1,
  total_shell_calls: 0,
  duration_ms: 5,
  exit_status: 'ok',
};

export const taskStart = (taskId: string): TraceEvents['task_start'] => ({
  task_id: taskId,
  context_id: 'ctx_1',
  source: 'task_md',
  origin: 'user',
  trust: 'trusted',
  lane: 'user',
  message_parts_bytes: 4,
});

export const taskEnd = (taskId: string): TraceEvents['task_end'] => ({
  task_id: taskId,
  exit_status: 'ok',
  duration_ms: 4,
  turns: 1,
  input_tokens: 1,
  output_tokens: 1,
  tool_calls: 1,
  shell_calls: 0,
  reopen_count: 0,
});

export const inference = (taskId: string, turn: number): TraceEvents['inference'] => ({
  turn,
  task_id: taskId,
  input_tokens: 1,
  output_tokens: 1,
  decision: 'tool_call',
  stop_reason: 'tool_call',
  tool_name: 'files',
});

export const call = (taskId: string, turn: number): TraceEvents['tool_call'] => ({
  turn,
  task_id: taskId,
  tool_name: 'files',
  tool_call_id: 'call_1',
  input: { path: 'a' },
  input_bytes: 12,
  output_bytes: 3,
  duration_ms: 2,
  status: 'ok',
});
