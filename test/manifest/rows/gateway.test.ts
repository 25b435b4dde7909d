// biome-ignore-all lint/suspicious/noTemplateCurlyInString: manifests write references so
import { describe } from 'vitest';
import { entry, rows } from './support.js';

describe('section 5, gateways', () => {
  const gateway = (keys: string) => `gateway: { endpoint: "https://h", ${keys} }`;
  rows(
    '5',
    [
      [gateway('api_key: "${KEY}"'), 'accepted'],
      [gateway('api_key: literal'), 'accepted'],
      [gateway('keyless: true'), 'accepted'],
      [gateway('keyless: false, api_key: x'), 'accepted'],
      [gateway('keyless: true, api_key: ""'), 'E-MAN-003 artifacts[0].gateway.api_key'],
      [gateway('keyless: false'), 'E-CAP-018 artifacts[0].gateway'],
      [gateway('api_key: "  "'), 'E-CAP-018 artifacts[0].gateway'],
      ['gateway: { api_key: x }', 'E-MAN-003 artifacts[0].gateway.endpoint'],
      ['gateway: {}', 'E-MAN-003 artifacts[0].gateway.endpoint'],
      [`runtime: hook, ${gateway('keyless: true')}`, 'accepted'],
      [`runtime: skill, ${gateway('keyless: true')}`, 'E-MAN-003 artifacts[0].gateway'],
      [`runtime: driver, ${gateway('keyless: true')}`, 'E-MAN-003 artifacts[0].gateway'],
    ],
    entry,
  );

  rows(
    '5.2',
    [
      ['https://api.example.com/v1/', 'accepted'],
      ['HTTPS://API.EXAMPLE.COM', 'accepted'],
      ['http://127.255.0.1:8080', 'accepted'],
      ['http://[::1]', 'accepted'],
      ['http://[::ffff:7f00:1]', 'E-MAN-003 artifacts[0].gateway.endpoint'],
      ['http://192.168.1.4', 'E-MAN-003 artifacts[0].gateway.endpoint'],
      ['https://u@h', 'E-MAN-003 artifacts[0].gateway.endpoint'],
      ['https://h?', 'E-MAN-003 artifacts[0].gateway.endpoint'],
      ['https:///h', 'E-MAN-003 artifacts[0].gateway.endpoint'],
      ['//h/x', 'E-MAN-003 artifacts[0].gateway.endpoint'],
      ['file:///etc/passwd', 'E-MAN-003 artifacts[0].gateway.endpoint'],
      ['https://h/${X}', 'E-MAN-003 artifacts[0].gateway.endpoint'],
    ],
    (endpoint) => entry(`gateway: { endpoint: "${endpoint}", keyless: true }`),
  );
});
