import { describe, expect, test } from 'vitest';
import { capabilityPolicyFromManifest, defaultCapabilityPolicy, hookLimits } from '../../src/policy/index.js';
import { capsule, parse } from '../manifest/support.js';

const policyFor = (lines = '') => capabilityPolicyFromManifest(parse(capsule(lines)));

describe('the policy of a manifest (spec/manifest.md 15.1)', () => {
  test('T1 read_only is trimmed, blank entries dropped, order kept', () => {
    const policy = policyFor('capabilities: { filesystem: { read_only: [tests, "  bench/fixtures  ", "   "] } }');
    expect(policy.readOnlyPaths).toEqual(['tests', 'bench/fixtures']);
  });

  test('T2 without capabilities nothing is read-only', () => expect(policyFor().readOnlyPaths).toEqual([]));

  test('T3 a scope alone makes nothing read-only', () => {
    expect(policyFor('capabilities: { filesystem: { scope: work } }').readOnlyPaths).toEqual([]);
  });

  test('T4 a silent manifest gives hooks the lower deadline, and so does the default policy', () => {
    const policy = policyFor('artifacts: []');
    expect(policy.limits.deadlineMs).toBe(600_000);
    expect(policy.declaredDeadlineSeconds).toBeUndefined();
    expect(hookLimits(policy).deadlineMs).toBe(30_000);
    expect(hookLimits(defaultCapabilityPolicy()).deadlineMs).toBe(30_000);
  });

  test('T5 an explicit deadline counts for hooks too', () => {
    const policy = policyFor('capabilities: { limits: { deadline_seconds: 120 } }');
    expect(policy.declaredDeadlineSeconds).toBe(120);
    expect(policy.limits.deadlineMs).toBe(120_000);
    expect(hookLimits(policy).deadlineMs).toBe(120_000);
  });

  test('T6 a staged runtime is carried verbatim and fills nothing else', () => {
    const policy = policyFor(
      'capabilities: { containment: sealed, shell: { allow: [python3], staged_runtime: [{ binary: python3, source_path: /opt/testbed/conda/envs/django, pin: conda-4.10.3/python-3.9.19 }] } }',
    );
    expect(policy.shellStagedRuntime).toEqual([
      { binary: 'python3', sourcePath: '/opt/testbed/conda/envs/django', pin: 'conda-4.10.3/python-3.9.19' },
    ]);
    expect(policy.shellInterpreterRuntime).toEqual([]);
    expect(policy.shellDerivedInterpreterRuntime).toEqual([]);
    expect(policy.shellTrustStore).toEqual([]);
    expect(policy.containmentFloor).toBe('sealed');
  });

  test('T7 a shell without a staged runtime has none', () => {
    expect(policyFor('capabilities: { shell: { allow: [bash] } }').shellStagedRuntime).toEqual([]);
  });

  test.each([
    '',
    'capabilities: { network: { allow: ["https://api.anthropic.com"] } }',
    'capabilities: { filesystem: { scope: workdir } }',
  ])('T8 running files of the work folder is denied when undeclared: %s', (lines) =>
    expect(policyFor(lines).workdirExecAllowed).toBe(false),
  );

  test('T9 and when declared false', () => {
    expect(policyFor('capabilities: { filesystem: { workdir_exec: false } }').workdirExecAllowed).toBe(false);
  });

  test('T10 and allowed when declared true, beside the scope', () => {
    const policy = policyFor('capabilities: { filesystem: { scope: workdir, workdir_exec: true } }');
    expect([policy.workdirExecAllowed, policy.filesystemScope]).toEqual([true, 'workdir']);
  });

  test('T11 unix sockets are denied without capabilities', () => expect(policyFor().unixSocketsAllowed).toBe(false));

  test('T12 and by a network block that does not name them', () => {
    const policy = policyFor('capabilities: { network: { allow: ["https://api.anthropic.com"] } }');
    expect([policy.unixSocketsAllowed, policy.networkAllow]).toEqual([false, ['https://api.anthropic.com']]);
  });

  test('T13 and when declared false', () => {
    expect(policyFor('capabilities: { network: { unix_sockets: false } }').unixSocketsAllowed).toBe(false);
  });

  test('T14 and allowed when declared true, which allows no destination', () => {
    const policy = policyFor('capabilities: { network: { unix_sockets: true } }');
    expect([policy.unixSocketsAllowed, policy.networkAllow]).toEqual([true, []]);
  });

  test('T15 sockets and destinations are carried apart', () => {
    const policy = policyFor('capabilities: { network: { unix_sockets: true, allow: ["https://api.anthropic.com"] } }');
    expect([policy.unixSocketsAllowed, policy.networkAllow]).toEqual([true, ['https://api.anthropic.com']]);
  });

  test('T16 the default policy denies sockets', () => expect(defaultCapabilityPolicy().unixSocketsAllowed).toBe(false));

  test('of a silent manifest is the default policy: lists empty, flags false, limits at their defaults', () => {
    expect(policyFor()).toEqual(defaultCapabilityPolicy());
    expect(defaultCapabilityPolicy()).toEqual({
      networkAllow: [],
      peerFetchAllow: [],
      unixSocketsAllowed: false,
      filesystemScope: undefined,
      workdirExecAllowed: false,
      readOnlyPaths: [],
      shellAllow: [],
      spawnAllow: [],
      spawnWorkdirSnapshot: [],
      shellStripEnv: [],
      shellBaselineEnv: [],
      shellInterpreterRuntime: [],
      shellStagedRuntime: [],
      shellDerivedInterpreterRuntime: [],
      shellTrustStore: [],
      hostPaths: [],
      envAllow: [],
      limits: { memoryBytes: 536_870_912, tableElements: 100_000, instances: 1000, deadlineMs: 600_000 },
      resources: {
        maxProcesses: 128,
        maxOpenFiles: 1024,
        maxFileSizeBytes: 4_294_967_296,
        cpuSeconds: 3600,
        memoryBytes: 2_147_483_648,
        cgroupMemoryBytes: 4_294_967_296,
        cgroupPidsMax: 256,
        cgroupCpuPercent: 200,
        cgroupIoBytesPerSec: 104_857_600,
        workdirMaxBytes: 10_737_418_240,
      },
      declaredResources: {},
      containmentFloor: 'advisory',
      stateDeclared: false,
      conversationDeclared: false,
      planSubmit: false,
      installSkill: [],
      installTool: [],
      installFromSources: false,
      declaredDeadlineSeconds: undefined,
    });
  });

  test('keeps peers apart from destinations, and what is declared apart from what is resolved', () => {
    const policy = policyFor(
      'capabilities: { peer_fetch: { allow: [peer:1] }, resources: { cpu_seconds: 5 }, state: {}, conversation: {}, plan: { submit: true }, install: { tool: [b, a], from: [stores, sources] }, spawn: { allow: [x/y], workdir_snapshot: [x/y] } }',
    );
    expect(policy).toMatchObject({
      peerFetchAllow: ['peer:1'],
      networkAllow: [],
      declaredResources: { cpuSeconds: 5 },
      resources: { cpuSeconds: 5, maxProcesses: 128 },
      stateDeclared: true,
      conversationDeclared: true,
      planSubmit: true,
      installSkill: [],
      installTool: ['b', 'a'],
      installFromSources: true,
      spawnAllow: ['x/y'],
      spawnWorkdirSnapshot: ['x/y'],
    });
  });

  test('a plan block that says no is the same as none', () => {
    expect(policyFor('capabilities: { plan: { submit: false } }')).toEqual(defaultCapabilityPolicy());
  });
});
