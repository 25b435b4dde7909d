// biome-ignore-all lint/suspicious/noTemplateCurlyInString: manifests write references so
import { describe, expect, test } from 'vitest';
import { agent, capsule } from '../support.js';
import { outcome, rows } from './support.js';

describe('section 13, control', () => {
  const keyed = (control: string) =>
    `${agent().replace(
      'inference:',
      '  - { name: search, version: 1, gateway: { endpoint: "https://s", api_key: "${SEARCH_KEY}" } }\ninference:',
    )}control: ${control}\n`;
  rows(
    '13',
    [
      ['{}', 'accepted'],
      ['{ settings: [], secrets: [], agent_settings: [] }', 'accepted'],
      ['{ settings: [inference.max_tokens] }', 'accepted'],
      ['{ settings: [inference.driver] }', 'E-MAN-003 control.settings'],
      ['{ secrets: [SEARCH_KEY] }', 'accepted'],
      ['{ secrets: [SEARCH_KEY, SEARCH_KEY] }', 'E-MAN-003 control.secrets'],
      ['{ secrets: [OTHER] }', 'E-MAN-003 control.secrets'],
      ['{ agent_settings: [inference.max_tokens] }', 'E-MAN-003 control.agent_settings'],
    ],
    keyed,
  );

  test('13 the key of the driver itself is no secret of a controller', () => {
    const text = agent().replace('keyless: true', 'api_key: "${BRAIN_KEY}"');
    expect(outcome(`${text}control: { secrets: [BRAIN_KEY] }\n`)).toBe('E-MAN-003 control.secrets');
  });

  test('13 under process nothing can be set', () => {
    const text = capsule(
      'artifacts: [{ name: d, version: 1, runtime: driver }]\ninference: { transport: process, driver: { artifact: d } }\ncontrol: { settings: [inference.max_tokens] }',
    );
    expect(outcome(text)).toBe('E-MAN-003 control.settings');
    expect(outcome(text.replace('settings: [inference.max_tokens]', 'agent_settings: [inference.driver]'))).toBe(
      'E-MAN-003 control.agent_settings',
    );
  });
});
