import { describe, expect, test } from 'vitest';
import { capsule, parse } from '../support.js';
import { type Row, rows } from './support.js';

describe('sections 9 to 11, context, observability, trace, lifecycle', () => {
  rows('9', [
    ['context: { max_tokens: 1 }', 'accepted'],
    ['context: { max_tokens: 0 }', 'E-MAN-003 context.max_tokens'],
    ['context: { seed_budget: 0, seed_overflow_margin: 1 }', 'accepted'],
    ['context: { seed_budget: 1.01 }', 'E-MAN-003 context.seed_budget'],
    ['context: { seed_overflow_margin: -0.01 }', 'E-MAN-003 context.seed_overflow_margin'],
    ['context: { record: "on" }', 'accepted'],
    ['context: { record: "yes" }', 'E-MAN-002 context.record'],
    ['context: { retain: {} }', 'E-MAN-003 context.retain'],
    ['context: { retain: }', 'E-MAN-003 context.retain'],
    ['context: { retain: { max_messages: 1 } }', 'accepted'],
    ['context: { retain: { max_messages: 0 } }', 'E-MAN-003 context.retain.max_messages'],
    ['context: { retain: { max_age: 1d } }', 'accepted'],
    ['context: { retain: { max_age: 0 } }', 'E-MAN-003 context.retain.max_age'],
    ['context: { retain: { max_age: soon } }', 'E-MAN-003 context.retain.max_age'],
    ['context: { retain: { max_age: 1.5 } }', 'E-MAN-003 context.retain.max_age'],
  ]);

  rows('10', [
    ['observability: { otel_endpoint: " " }', 'accepted'],
    ['observability: { eval: {} }', 'accepted'],
    ['observability: { eval: { scorers: [] } }', 'accepted'],
    ['trace: { capture: none }', 'accepted'],
    ['trace: { capture: meta }', 'accepted'],
    ['trace: { capture: content }', 'accepted'],
    ['trace: { retain: {} }', 'E-MAN-003 trace.retain'],
    ['trace: { retain: { max_sessions: 0 } }', 'E-MAN-003 trace.retain.max_sessions'],
    ['trace: { retain: { max_sessions: 1, max_age: 30d } }', 'accepted'],
  ]);

  test('10 scorers get their names, bounds and expectations; a blank endpoint is none', () => {
    const scorers =
      '[{ type: exit_ok, name: fine }, { type: max_turns }, { type: max_tokens }, { type: max_turns, max: 3 }, { type: tool_sequence, expected: [a] }, { type: tool_sequence }, { type: llm_judge }, {}]';
    const text = capsule(`observability: { otel_endpoint: " ", eval: { dataset_id: d, scorers: ${scorers} } }`);
    expect(parse(text).observability).toEqual({
      eval: {
        datasetId: 'd',
        scorers: [
          { type: 'exit_ok', name: 'fine' },
          { type: 'max_turns', name: 'max_turns', max: 10 },
          { type: 'max_tokens', name: 'max_tokens', max: 100_000 },
          { type: 'max_turns', name: 'max_turns', max: 3 },
          { type: 'tool_sequence', name: 'tool_sequence', expected: ['a'] },
          { type: 'tool_sequence', name: 'tool_sequence', expected: [] },
          { type: 'llm_judge', name: 'llm_judge' },
        ],
      },
    });
  });

  rows('11', [
    ...['none', 'single', 'queue'].map((word): Row => [`lifecycle: { task_acceptance: ${word} }`, 'accepted']),
    ...['exit', 'sleep'].map((word): Row => [`lifecycle: { after_task: ${word} }`, 'accepted']),
    ['lifecycle: { after_task: stay }', 'E-MAN-002 lifecycle.after_task'],
    ...['stateless', 'threaded'].map((word): Row => [`lifecycle: { conversation: ${word} }`, 'accepted']),
    ['lifecycle: { conversation: shared }', 'E-MAN-002 lifecycle.conversation'],
    ['lifecycle: { max_task_reopens: 0, shell_grace_secs: 0, delegation_deadline_secs: 0 }', 'accepted'],
    ['lifecycle: { max_task_reopens: -1 }', 'E-MAN-003 lifecycle.max_task_reopens'],
    ['lifecycle: { shell_grace_secs: -1 }', 'E-MAN-003 lifecycle.shell_grace_secs'],
    ['lifecycle: { delegation_deadline_secs: -1 }', 'E-MAN-003 lifecycle.delegation_deadline_secs'],
    ['lifecycle: { input_timeout_secs: -1 }', 'E-MAN-003 lifecycle.input_timeout_secs'],
    ['lifecycle: { deadline_notice_secs: 1 }', 'accepted'],
    ['lifecycle: { deadline_notice_secs: 0 }', 'E-MAN-003 lifecycle.deadline_notice_secs'],
  ]);
});
