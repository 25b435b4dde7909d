import { describe, expect, test } from 'vitest';
import {
  type GuestEnvironmentInput,
  type GuestRole,
  mergeEnvironment,
  runtimeEnvironment,
} from '../../src/inference/index.js';

const config = (json: string) => ({ value: JSON.parse(json), json });
const full: Omit<GuestEnvironmentInput, 'role'> = {
  identity: { sessionId: 'ses_1', capsuleName: 'demo', capsuleVersion: '1.0.0', capsuleUrl: 'localhost:1' },
  inference: { transport: 'http', model: 'm', driver: 'drv', driverConfig: config('{"store":true}') },
  endpoint: 'http://127.0.0.1:9/x',
  keyPlaceholder: 'mur-key-0',
  artifactConfig: config('{"a":1}'),
  gatewayEndpoint: 'http://127.0.0.1:9/y',
  stateDir: 'state',
};
const names = (role: GuestRole, more: Partial<GuestEnvironmentInput> = {}) =>
  runtimeEnvironment({ ...full, role, ...more }).map(([name]) => name);

const everyGuest = [
  'MURMUR_SESSION_ID',
  'MURMUR_CAPSULE_NAME',
  'MURMUR_CAPSULE_VERSION',
  'MURMUR_CAPSULE_URL',
  'MURMUR_INFERENCE_TRANSPORT',
  'MURMUR_INFERENCE_MODEL',
  'MURMUR_INFERENCE_DRIVER',
  'MURMUR_INFERENCE_DRIVER_CONFIG',
];
const own = ['MURMUR_ARTIFACT_CONFIG', 'MURMUR_GATEWAY_ENDPOINT', 'MURMUR_STATE_DIR'];

describe('runtimeEnvironment (spec/drivers.md section 3)', () => {
  test('an inference driver gets the endpoint and the placeholder', () => {
    expect(names('inference-driver')).toEqual([
      ...everyGuest,
      'MURMUR_INFERENCE_ENDPOINT',
      'MURMUR_INFERENCE_API_KEY',
      ...own,
    ]);
  });

  test.each<GuestRole>(['tool', 'capsule'])('a %s gets neither, even when they are given', (role) => {
    expect(names(role)).toEqual([...everyGuest, ...own]);
  });

  test('under process there is no endpoint', () => {
    const inference = { transport: 'process', model: '', driver: 'drv' } as const;
    const env = runtimeEnvironment({ ...full, role: 'inference-driver', inference });
    expect(env).toContainEqual(['MURMUR_INFERENCE_MODEL', '']);
    expect(env.map(([name]) => name)).not.toContain('MURMUR_INFERENCE_ENDPOINT');
  });

  test('what does not apply is unset, not empty', () => {
    const identity = { sessionId: 'ses_1', capsuleName: 'demo', capsuleVersion: '1' };
    expect(runtimeEnvironment({ role: 'tool', identity })).toEqual([
      ['MURMUR_SESSION_ID', 'ses_1'],
      ['MURMUR_CAPSULE_NAME', 'demo'],
      ['MURMUR_CAPSULE_VERSION', '1'],
    ]);
  });

  test('configuration arrives as its compact JSON', () => {
    expect(runtimeEnvironment({ ...full, role: 'tool' })).toEqual(
      expect.arrayContaining([
        ['MURMUR_INFERENCE_DRIVER_CONFIG', '{"store":true}'],
        ['MURMUR_ARTIFACT_CONFIG', '{"a":1}'],
      ]),
    );
  });
});

test('a granted variable cannot shadow a runtime value, and no name comes twice', () => {
  expect(
    mergeEnvironment(
      [
        ['LANG', 'C'],
        ['MURMUR_SESSION_ID', 'forged'],
      ],
      [['MURMUR_SESSION_ID', 'ses_1']],
    ),
  ).toEqual([
    ['LANG', 'C'],
    ['MURMUR_SESSION_ID', 'ses_1'],
  ]);
});
