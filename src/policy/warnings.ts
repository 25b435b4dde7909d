import { findEntry, type RuntimeManifest } from '../manifest/index.js';
import type { PolicyWarning } from './grant.js';
import { parseAllowEntry } from './network.js';
import { looksLikeCredential, stripRule } from './patterns.js';
import type { CapabilityPolicy } from './policy.js';

/** What an operator should know about a policy that is valid (spec/diagnostics.md section 8). Decided by the text alone. */
export function policyWarnings(
  manifest: RuntimeManifest,
  policy: CapabilityPolicy,
  afterTask: 'exit' | 'sleep',
): readonly PolicyWarning[] {
  return [
    ...hostLayout(policy),
    ...inertBlocks(policy),
    ...credentialShapedNames(policy, afterTask),
    ...openedUpstreams(manifest, policy),
    ...unmeteredGateways(manifest),
  ];
}

function hostLayout({ shellInterpreterRuntime }: CapabilityPolicy): PolicyWarning[] {
  return shellInterpreterRuntime.map(({ binary, dirs }) => ({
    code: 'W-SEC-009',
    message: `'${binary}' may read ${dirs.map(({ path }) => path).join(', ')} of this host, so the capsule depends on how this host is laid out; staged_runtime pins what it uses`,
  }));
}

function inertBlocks(policy: CapabilityPolicy): PolicyWarning[] {
  const warnings: PolicyWarning[] = [];
  const say = (code: PolicyWarning['code'], message: string) => warnings.push({ code, message });
  if (policy.workdirExecAllowed) {
    say(
      'W-SEC-011',
      'capabilities.filesystem.workdir_exec lets files made in the work folder run, whatever shell.allow says',
    );
  }
  if (policy.stateDeclared) {
    say(
      'W-SEC-014',
      'capabilities.state has no effect on the whole capsule; declare it on the artifact entry that needs it',
    );
  }
  if (policy.conversationDeclared) {
    say('W-SEC-016', 'capabilities.conversation has no effect on the whole capsule; declare it on a hook entry');
  }
  return warnings;
}

function credentialShapedNames(policy: CapabilityPolicy, afterTask: 'exit' | 'sleep'): PolicyWarning[] {
  return [...new Set(policy.envAllow)]
    .filter((name) => looksLikeCredential(name) && stripRule(name, policy.shellStripEnv) === undefined)
    .map((name) => ({
      code: 'W-SEC-024',
      message:
        `capabilities.env.allow hands '${name}', which reads like a secret, to every WASM guest` +
        (afterTask === 'sleep' ? '; this capsule stays up after its task, and the value with it' : ''),
    }));
}

function openedUpstreams(manifest: RuntimeManifest, policy: CapabilityPolicy): PolicyWarning[] {
  const rules = policy.networkAllow.map(parseAllowEntry);
  return manifest.artifacts.flatMap(({ name, gateway }) => {
    if (gateway === undefined) return [];
    const { hostname } = new URL(gateway.endpoint);
    return rules
      .filter((rule) => rule.host === hostname)
      .map((rule) => ({
        code: 'W-SEC-025' as const,
        message: `capabilities.network.allow names '${rule.entry}', the upstream of artifact '${name}'s gateway; guests can reach it directly too, without its key`,
      }));
  });
}

function unmeteredGateways(manifest: RuntimeManifest): PolicyWarning[] {
  const { inference } = manifest;
  const references = inference
    ? [inference.driver.artifact, ...inference.alternates.map((choice) => choice.driver.artifact)]
    : [];
  const metered = references.map((reference) => findEntry(manifest.artifacts, reference));
  return manifest.artifacts
    .filter((entry) => entry.gateway !== undefined && !metered.includes(entry))
    .map((entry) => ({
      code: 'W-SEC-030',
      message: `what artifact '${entry.name}' spends through its gateway is not metered`,
    }));
}
