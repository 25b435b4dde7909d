import { describe, expect, test } from 'vitest';
import { capsule, parse } from '../support.js';
import { entry, rows } from './support.js';

const hook = (keys: string) => entry(`runtime: hook, capabilities: { ${keys} }`);
const tool = (keys: string) => entry(`capabilities: { ${keys} }`);

describe('section 4, artifacts', () => {
  rows(
    '4.1',
    [
      ['runtime: tool', 'accepted'],
      ['runtime: driver', 'accepted'],
      ['runtime: hook', 'accepted'],
      ['runtime: skill', 'accepted'],
      ['runtime: ""', 'E-MAN-003 artifacts[0].runtime'],
      ['runtime: Tool', 'E-MAN-003 artifacts[0].runtime'],
      ['prompt_payload: true', 'accepted'],
      ['runtime: hook, on_overflow: block', 'accepted'],
      ['runtime: hook, on_overflow: drop', 'accepted'],
      ['runtime: driver, on_overflow: drop', 'E-MAN-003 artifacts[0].on_overflow'],
      ['runtime: skill, config: {}', 'E-MAN-003 artifacts[0].config'],
      ['runtime: skill, capabilities: {}', 'E-MAN-003 artifacts[0].capabilities'],
      ['runtime: skill, capabilities: ', 'accepted'],
      ['config: {}', 'accepted'],
    ],
    entry,
  );

  test.each([
    ['tool', false],
    ['driver', false],
    ['hook', false],
    ['skill', true],
  ])('4.1 a %s is local and a prompt without saying so: %s', (role, byDefault) => {
    expect(parse(entry(`runtime: ${role}`)).artifacts[0]).toMatchObject({
      localSource: byDefault,
      promptPayload: byDefault,
    });
    const opposite = parse(entry(`runtime: ${role}, local_source: ${!byDefault}, prompt_payload: ${!byDefault}`));
    expect(opposite.artifacts[0]).toMatchObject({ localSource: !byDefault, promptPayload: !byDefault });
  });

  test('4.2 a local source needs no version, and has the version local', () => {
    const text = capsule('artifacts: [{ name: a, local_source: true, source: ../elsewhere }]');
    expect(parse(text).artifacts[0]).toMatchObject({ version: 'local', source: '../elsewhere' });
  });

  test('4.2 a blank source is none', () => {
    expect(parse(entry('source: "  "')).artifacts[0]).not.toHaveProperty('source');
  });

  rows(
    '4.3 on a hook',
    [
      ['network: { allow: [a.example] }', 'accepted'],
      ['network: { allow: ["a.example/x"] }', 'E-CAP-001'],
      ['filesystem: { scope: work, records: true }', 'accepted'],
      ['filesystem: { scope: ../x }', 'E-CAP-002'],
      ['state: {}', 'accepted'],
      ['state: { store: s }', 'accepted'],
      ['state: { store: ../s }', 'E-CAP-009'],
      ['task_io: { read: true }', 'accepted'],
      ['task_io: {}', 'E-MAN-003 artifacts[0].capabilities.task_io.read'],
      ['conversation: { read: false }', 'accepted'],
      ['conversation: {}', 'E-MAN-003 artifacts[0].capabilities.conversation.read'],
      ['plan: { submit: true }', 'accepted'],
      ['install: { tool: [a] }', 'E-MAN-003 artifacts[0].capabilities.install'],
      ['limits: { memory_bytes: 1 }', 'accepted'],
      ['containment: sealed', 'accepted'],
      ['containment: tight', 'E-MAN-003 artifacts[0].capabilities.containment'],
    ],
    hook,
  );

  rows(
    '4.3 on a tool',
    [
      ['network: { allow: [] }', 'accepted'],
      ['filesystem: { scope: . }', 'accepted'],
      ['state: {}', 'accepted'],
      ['task_io: { read: true }', 'E-MAN-003 artifacts[0].capabilities.task_io'],
      ['conversation: { read: true }', 'E-MAN-003 artifacts[0].capabilities.conversation'],
      ['shell: { allow: [sh] }, env: { allow: [A] }, spawn: { allow: [b] }', 'accepted'],
    ],
    tool,
  );

  rows(
    '4.4',
    [
      ['config: { a: { b: [1, null, "x"] } }', 'accepted'],
      ['config: {}', 'accepted'],
      ['config: ', 'E-CAP-010'],
      ['config: text', 'E-CAP-010'],
      ['config: [a]', 'E-CAP-010'],
      ['config: 5', 'E-CAP-010'],
      ['config: true', 'E-CAP-010'],
      ['config: { 1: a }', 'E-CAP-010'],
      ['config: { a: .nan }', 'E-CAP-010'],
    ],
    entry,
  );
});
