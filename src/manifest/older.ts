import type { ArtifactEntry } from './artifact.js';
import { findEntry } from './drivers.js';
import { endpointProblem } from './endpoint.js';
import { readApiKey } from './gateway.js';
import type { InferenceConfig, RawInference } from './inference.js';
import { present, trimmed } from './present.js';
import type { Report } from './report.js';

/**
 * The entries with `inference.endpoint` and `inference.api_key`, the older spelling, turned into a gateway of the driver's
 * entry (spec/manifest.md section 8.3). Warns with the rewrite; never shows the key.
 */
export function applyOlderKeys(
  raw: RawInference,
  inference: InferenceConfig,
  entries: readonly ArtifactEntry[],
  report: Report,
): readonly ArtifactEntry[] {
  const endpoint = trimmed(raw.endpoint);
  const apiKey = readApiKey(raw.api_key);
  if (endpoint === undefined && apiKey === undefined) return entries;
  const entry = findEntry(entries, inference.driver.artifact);
  if (entry?.runtime !== 'driver') return entries;
  const key = endpoint === undefined ? 'api_key' : 'endpoint';
  if (entry.gateway !== undefined) {
    const message = `artifact '${entry.name}' already declares 'gateway:'; set it in one place`;
    throw report.fault(['inference', key], message);
  }
  if (endpoint === undefined) {
    throw report.fault(['inference', 'api_key'], `needs 'gateway.endpoint' on the artifact entry '${entry.name}'`);
  }
  const problem = endpointProblem(endpoint);
  if (problem !== undefined) throw report.fault(['inference', 'endpoint'], `${problem.shown} ${problem.why}`);

  const keyLine = apiKey === undefined ? 'keyless: true' : 'api_key: (the value of inference.api_key)';
  report.warn(
    'W-RUN-901',
    `'inference.endpoint' is the older form; on the artifact entry '${entry.name}' write gateway: with endpoint: ${endpoint} and ${keyLine}`,
    ['inference', 'endpoint'],
  );
  const gateway = present({ endpoint, apiKey, declaredBy: 'inference' as const });
  return entries.map((other) => (other === entry ? { ...entry, gateway } : other));
}
