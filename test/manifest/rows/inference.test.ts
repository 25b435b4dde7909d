// biome-ignore-all lint/suspicious/noTemplateCurlyInString: manifests write references so
import { describe, expect, test } from 'vitest';
import { agent, capsule, parse } from '../support.js';
import { outcome, rows } from './support.js';

describe('section 8, inference', () => {
  rows(
    '8.1 over http',
    [
      ['', 'accepted'],
      ['transport: http', 'accepted'],
      ['transport: " "', 'accepted'],
      ['command: x', 'E-MAN-003 inference.command'],
      ['command: " "', 'accepted'],
      ['max_turns: -1', 'E-MAN-003 inference.max_turns'],
      ['max_tokens: 0', 'E-MAN-003 inference.max_tokens'],
      ['max_session_tokens: 0', 'E-MAN-003 inference.max_session_tokens'],
      ['tool_refresh: compaction', 'accepted'],
      ['tool_refresh: never', 'E-MAN-002 inference.tool_refresh'],
      ['system_prompt: a\nsystem_prompt_artifact: b', 'E-MAN-003 inference.system_prompt'],
      ['system_prompt: " "\nsystem_prompt_file: b', 'accepted'],
      ['instruction_files: [A.md, b/C.md]', 'accepted'],
      ['compaction: {}', 'accepted'],
      ['compaction: { threshold: 1 }', 'accepted'],
      ['compaction: { threshold: 0.0001 }', 'accepted'],
      ['compaction: { threshold: -0.1 }', 'E-MAN-003 inference.compaction.threshold'],
      ['compaction: { threshold: .nan }', 'E-MAN-002 inference.compaction.threshold'],
      ['compaction: { max_tokens: 0 }', 'E-MAN-003 inference.compaction.max_tokens'],
      ['compaction: { model: x, dump_summaries: true, system_prompt_file: f }', 'accepted'],
      ['compaction: { driver_config: x }', 'E-MAN-003 inference.compaction.driver_config'],
      ['compaction: { driver_config: { 1: a } }', 'E-MAN-003 inference.compaction.driver_config'],
      ['max_task_reopens: 3', 'accepted'],
    ],
    agent,
  );

  const process = (lines: string) =>
    capsule(
      `artifacts: [{ name: d, version: 1, runtime: driver }]\ninference:\n  transport: process\n  driver: { artifact: d }\n  ${lines}\n`,
    );
  rows(
    '8.1 over process',
    [
      ['', 'accepted'],
      ['command: claude', 'accepted'],
      ['model: m', 'accepted'],
      ['max_turns: 3', 'accepted'],
      ['max_session_tokens: 3', 'accepted'],
      ['system_prompt: x', 'accepted'],
      ['max_tokens: 3', 'E-MAN-003 inference.max_tokens'],
      ['tool_refresh: immediate', 'E-MAN-003 inference.tool_refresh'],
      ['alternates: []', 'E-MAN-003 inference.alternates'],
      ['endpoint: "https://h"', 'E-MAN-003 inference.endpoint'],
      ['api_key: x', 'E-MAN-003 inference.api_key'],
    ],
    process,
  );

  test('8.1 under process the model may be empty: the harness chooses', () => {
    expect(parse(process('')).inference).toMatchObject({ transport: 'process', model: '' });
  });

  test('8.1 a prompt is trimmed, that of compaction kept as it is', () => {
    const { inference } = parse(agent('system_prompt: "  hi "\ncompaction: { system_prompt: "  sum up " }'));
    expect(inference?.systemPrompt).toEqual({ kind: 'text', text: 'hi' });
    expect(inference?.compaction.systemPrompt).toEqual({ kind: 'text', text: '  sum up ' });
  });

  test('8.1 a prompt may be a declared artifact with a payload for it', () => {
    const text = `${agent('system_prompt_artifact: voice')}`.replace(
      'inference:',
      '  - { name: voice, runtime: skill, version: 1 }\ninference:',
    );
    expect(parse(text).inference?.systemPrompt).toEqual({ kind: 'artifact', name: 'voice' });
  });

  const alternates = (list: string) => `${agent(`alternates: ${list}`)}control: { settings: [inference.driver] }\n`;
  rows(
    '8.2',
    [
      ['[{ name: a, model: m2, driver: { artifact: brain } }]', 'accepted'],
      ['[{ name: a, driver: { artifact: brain } }]', 'E-MAN-003 inference.alternates[0].model'],
      ['[{ name: a, model: m2 }]', 'E-MAN-003 inference.alternates[0].driver.artifact'],
      ['[{ name: a, model: m2, driver: { artifact: ghost } }]', 'E-MAN-003 inference.alternates[0].driver.artifact'],
      [
        '[{ name: a, model: m2, driver: { artifact: brain } }, { name: a, model: m3, driver: { artifact: brain } }]',
        'E-MAN-003 inference.alternates[1].name',
      ],
      [
        '[{ name: a, model: m2, driver: { artifact: brain } }, { name: b, model: m2, driver: { artifact: brain } }]',
        'E-MAN-003 inference.alternates[1]',
      ],
      [
        '[{ name: a, model: m2, driver: { artifact: brain, config: { x: 1 } } }]',
        'E-MAN-003 inference.alternates[0].driver.config',
      ],
    ],
    alternates,
  );

  test('8.2 the driver of an alternate needs a gateway of its own', () => {
    const text = alternates('[{ name: a, model: m2, driver: { artifact: other } }]');
    const other = (keys: string) =>
      text.replace('inference:', `  - { name: other, version: 1, runtime: driver${keys} }\ninference:`);
    expect(outcome(other(''))).toBe('E-MAN-003 artifacts[1]');
    expect(outcome(other(', gateway: { endpoint: "https://o", keyless: true }'))).toBe('accepted');
  });
});
