import { isMurError, type MurError } from '../../src/errors/index.js';
import { type ManifestWarning, parseManifest, type RuntimeManifest } from '../../src/manifest/index.js';

export const manifestPath = '/project/murmur.yaml';

/** A manifest named `cap` 0.1.0 with these further lines. */
export function capsule(lines = ''): string {
  return `name: cap\nversion: 0.1.0\n${lines}`;
}

export function parse(text: string): RuntimeManifest {
  return parseManifest(text, { path: manifestPath }).manifest;
}

export function warningsOf(text: string, release?: string): readonly ManifestWarning[] {
  return parseManifest(text, { path: manifestPath, ...(release === undefined ? {} : { release }) }).warnings;
}

/** The error `text` is refused with. */
export function refusal(text: string): MurError {
  try {
    parse(text);
  } catch (error) {
    if (isMurError(error)) return error;
    throw error;
  }
  throw new Error(`parsed, expected a refusal:\n${text}`);
}

/** `<code> <message>` of the refusal, the form of the tables. */
export function verdict(text: string): string {
  const { code, message } = refusal(text);
  return `${code} ${message}`;
}

/** An agent capsule with a keyed driver and these lines inside `inference:`. */
export function agent(inferenceLines = '', entryLines = ''): string {
  return capsule(`artifacts:
  - name: brain
    version: 1.0.0
    runtime: driver
    gateway:
      endpoint: https://api.example.com
      keyless: true
${indent(entryLines, 4)}inference:
  model: m1
  driver: { artifact: brain }
${indent(inferenceLines, 2)}`);
}

function indent(text: string, spaces: number): string {
  if (text === '') return '';
  return `${text.replace(/^(?=.)/gm, ' '.repeat(spaces)).replace(/\n+$/, '')}\n`;
}

/** The same without the place, for tables about rules. */
export function placelessVerdict(text: string): string {
  return verdict(text).replace(/ \(line \d+, column \d+\)$/, '');
}
