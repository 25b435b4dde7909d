import type { MurError } from '../errors/index.js';
import type { ArtifactEntry } from './artifact.js';
import type { InferenceConfig } from './inference.js';
import type { Report } from './report.js';
import { nearestKey } from './suggest.js';
import type { Path } from './tree.js';

/** The entry a driver or prompt reference names: by its full name, or by its last segment. */
export function findEntry(entries: readonly ArtifactEntry[], reference: string): ArtifactEntry | undefined {
  return entries.find((entry) => entry.name === reference) ?? entries.find((entry) => entry.toolName === reference);
}

/** Checks that `inference.system_prompt_artifact` names an entry that may be a prompt. */
export function checkPromptArtifact(
  inference: InferenceConfig,
  entries: readonly ArtifactEntry[],
  report: Report,
): void {
  const prompt = inference.systemPrompt;
  if (prompt?.kind !== 'artifact') return;
  const path = ['inference', 'system_prompt_artifact'];
  const entry = findEntry(entries, prompt.name);
  if (entry === undefined) throw undeclared(prompt.name, path, entries, report);
  if (!entry.promptPayload)
    throw report.fault(path, `artifact '${prompt.name}' does not declare 'prompt_payload: true'`);
}

/**
 * Drivers of this package that open no connection. Parsing reads no other file, so it cannot ask the driver's own manifest
 * (`needs_gateway: false`); a test keeps the two in step.
 */
export const gatewaylessDrivers: ReadonlySet<string> = new Set(['mur-driver-rehearsal']);

/** Checks the driver references and what each driver entry declares (spec/manifest.md sections 5.1 and 8.1). */
export function checkDrivers(
  inference: InferenceConfig | undefined,
  entries: readonly ArtifactEntry[],
  report: Report,
): void {
  const primary =
    inference && driverEntry(inference.driver.artifact, ['inference', 'driver', 'artifact'], entries, report);
  const alternates = (inference?.alternates ?? []).map((choice, index) =>
    driverEntry(choice.driver.artifact, ['inference', 'alternates', index, 'driver', 'artifact'], entries, report),
  );
  if (inference?.transport === 'process') refuseProcessExtras(primary!, report);

  for (const entry of entries) {
    const path = ['artifacts', entry.index];
    const isBound = entry === primary || alternates.includes(entry);
    if (entry.runtime !== 'driver') continue;
    if (entry.gateway !== undefined && (!isBound || inference?.transport === 'process')) {
      const why = isBound ? 'transport: process takes none' : 'no inference driver names this entry';
      throw report.fault([...path, 'gateway'], `artifact '${entry.name}' declares 'gateway:' but ${why}`);
    }
    // A driver read from disk says so itself; src/artifacts asks it.
    const mayGoWithout = gatewaylessDrivers.has(entry.name) || entry.source !== undefined;
    if (isBound && inference?.transport === 'http' && entry.gateway === undefined && !mayGoWithout) {
      const message = `artifact '${entry.name}' is an inference driver and must declare 'gateway.endpoint'`;
      throw report.fault(path, message, { hint: 'add gateway: with endpoint: and api_key: or keyless: true' });
    }
  }
}

function driverEntry(
  reference: string,
  path: readonly (string | number)[],
  entries: readonly ArtifactEntry[],
  report: Report,
): ArtifactEntry {
  const entry = findEntry(entries, reference);
  if (entry === undefined) throw undeclared(reference, path, entries, report);
  if (entry.runtime !== 'driver') {
    throw report.fault(path, `artifact '${reference}' has 'runtime: ${entry.runtime}', expected driver`);
  }
  return entry;
}

function undeclared(reference: string, path: Path, entries: readonly ArtifactEntry[], report: Report): MurError {
  const near = nearestKey(reference, [...entries.map(({ toolName }) => toolName), ...entries.map(({ name }) => name)]);
  const message = `'${reference}' is not declared under artifacts`;
  return report.fault(path, message, near === undefined ? {} : { hint: `did you mean '${near}'?` });
}

function refuseProcessExtras(entry: ArtifactEntry, report: Report): void {
  for (const key of ['capabilities', 'config'] as const) {
    if (entry[key] === undefined) continue;
    const message = `artifact '${entry.name}' declares '${key}:' but a driver under transport: process takes none`;
    throw report.fault(['artifacts', entry.index, key], message);
  }
}
