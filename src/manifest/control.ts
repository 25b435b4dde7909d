import type { ArtifactEntry } from './artifact.js';
import { findEntry } from './drivers.js';
import { credentialName } from './grammar.js';
import type { InferenceConfig } from './inference.js';
import type { Fault } from './report.js';
import { block, texts, type z } from './shape.js';

/** `control`: what a controller may change while the session runs. */
export const controlShape = block({ settings: texts(), secrets: texts(), agent_settings: texts() });

/** `control:` (spec/manifest.md section 13). */
export interface ControlConfig {
  readonly settings: readonly string[];
  readonly secrets: readonly string[];
  readonly agentSettings: readonly string[];
}

type RawControl = NonNullable<z.infer<typeof controlShape>>;

/** The block checked against inference and the gateways. */
export function readControl(
  raw: RawControl | null | undefined,
  inference: InferenceConfig | undefined,
  entries: readonly ArtifactEntry[],
  fault: Fault,
): ControlConfig {
  const config = {
    settings: raw?.settings ?? [],
    secrets: raw?.secrets ?? [],
    agentSettings: raw?.agent_settings ?? [],
  };
  const isEmpty = Object.values(config).every((list) => list.length === 0);
  if (!isEmpty && inference === undefined) throw fault(['control'], 'needs an inference block');
  if (inference === undefined) return config;
  checkWords('settings', config.settings, ['inference.max_tokens', 'inference.driver'], fault);
  checkSecrets(config.secrets, inference, entries, fault);
  checkWords('agent_settings', config.agentSettings, ['inference.driver'], fault);

  const all = [...config.settings, ...config.agentSettings];
  if (all.length > 0 && inference.transport === 'process') {
    throw fault(
      ['control', config.settings.length > 0 ? 'settings' : 'agent_settings'],
      `'${all[0]}' needs transport: http`,
    );
  }
  const switchesDriver = all.includes('inference.driver');
  if (switchesDriver && inference.alternates.length === 0) {
    const key = config.settings.includes('inference.driver') ? 'settings' : 'agent_settings';
    throw fault(['control', key], "'inference.driver' needs at least one entry in inference.alternates");
  }
  if (!switchesDriver && inference.alternates.length > 0) {
    const message = "needs 'inference.driver' in control.settings or control.agent_settings";
    throw fault(['inference', 'alternates'], message);
  }
  return config;
}

function checkWords(key: string, written: readonly string[], known: readonly string[], fault: Fault): void {
  for (const [index, word] of written.entries()) {
    if (!known.includes(word)) throw fault(['control', key], `unknown value '${word}'; expected: ${known.join(', ')}`);
    if (written.indexOf(word) !== index) throw fault(['control', key], `'${word}' is named twice`);
  }
}

function checkSecrets(
  names: readonly string[],
  inference: InferenceConfig,
  entries: readonly ArtifactEntry[],
  fault: Fault,
): void {
  const driver = inference.transport === 'http' ? findEntry(entries, inference.driver.artifact) : undefined;
  const referenced = new Set<string>();
  for (const entry of entries) {
    const key = entry.gateway?.apiKey;
    if (key?.kind === 'reference' && entry !== driver) referenced.add(key.name);
  }
  for (const [index, name] of names.entries()) {
    const refuse = (why: string) => fault(['control', 'secrets'], `'${name}' ${why}`);
    if (!credentialName.test(name)) throw refuse('is no credential name; expected A-Z, 0-9 and "_"');
    if (names.indexOf(name) !== index) throw refuse('is named twice');
    if (!referenced.has(name)) throw refuse('is the gateway.api_key of no artifact other than the inference driver');
  }
}
