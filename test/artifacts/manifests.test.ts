import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { readScript } from '../../artifacts/mur-driver-rehearsal/src/script.js';
import { parseArtifactManifest } from '../../src/artifacts/index.js';
import { parseManifest } from '../../src/manifest/index.js';

const folders = (root: string, prefix: string) => readdirSync(root).filter((name) => name.startsWith(prefix));

describe.each(folders('artifacts', 'mur-'))('artifact %s', (name) => {
  const manifest = parseArtifactManifest(readFileSync(`artifacts/${name}/murmur.yaml`, 'utf8'), name);

  test('is named as its folder and says what it is', () => {
    expect(manifest.name).toBe(name);
    expect(manifest.version).toBe('0.1.0');
    expect(manifest.description).toBeTruthy();
    expect(name).toContain(`-${manifest.runtime}-`);
  });

  test('carries its payload, and what its role needs', () => {
    const files = readdirSync(`artifacts/${name}`);
    expect(files).toContain(manifest.runtime === 'skill' ? 'skill.md' : `${name}.wasm`);
    if (manifest.runtime === 'tool')
      expect(manifest.inputSchema).toMatchObject({ type: 'object', required: expect.arrayContaining(['action']) });
    if (manifest.runtime === 'driver' && manifest.needsGateway) {
      expect(manifest.upstreamAuthProblem).toBeUndefined();
      expect(manifest.upstreamAuth?.value).toContain('{key}');
    }
    if (manifest.runtime === 'driver') expect(manifest.models?.size).toBeGreaterThan(0);
  });
});

describe.each(folders('examples', ''))('example %s', (name) => {
  const path = `examples/${name}/murmur.yaml`;
  const { warnings, manifest } = parseManifest(readFileSync(path, 'utf8'), { path });

  test('parses without a warning and uses artifacts of this project', () => {
    expect(warnings).toEqual([]);
    expect(manifest.name).toBe(name);
    for (const entry of manifest.artifacts) expect(folders('artifacts', 'mur-')).toContain(entry.name);
  });

  test('configures its driver with keys the driver knows, and names a model of its table', () => {
    const { driver, model } = manifest.inference ?? {};
    const own = parseArtifactManifest(readFileSync(`artifacts/${driver?.artifact}/murmur.yaml`, 'utf8'), 'driver');
    expect([...(own.models?.keys() ?? [])]).toContain(model);
    if (driver?.artifact === 'mur-driver-rehearsal')
      expect(readScript(JSON.stringify(driver.config?.value))?.turns.length).toBeGreaterThan(0);
  });
});
