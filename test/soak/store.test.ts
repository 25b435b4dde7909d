/**
 * Processes that file one artifact over and over and are killed at random, while this one reads: what is read is always one of
 * the sets that were written, and once there was one there always is. `MUR_SOAK_SECONDS` scales it.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { localStore, type PackedArtifact } from '../../src/artifacts/index.js';
import { artifactOf } from '../artifacts/packed.js';
import { Random } from './random.js';

const seconds = Number(process.env.MUR_SOAK_SECONDS ?? 60);
const seed = Number(process.env.MUR_SOAK_SEED ?? Date.now() % 1_000_000);
const script = fileURLToPath(new URL('../fixtures/store/write.mjs', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'mur-soak-store-'));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test(`killed writers leave whole sets (seed ${seed})`, async () => {
  const random = new Random(seed);
  const artifacts = await Promise.all(['a', 'b', 'c'].map((word) => artifactOf({ manifest: `summary: ${word}\n` })));
  const known = artifacts.map(({ sha256 }) => sha256);
  const store = localStore('project', folder);
  await store.put(artifacts[0]!);
  const endAt = performance.now() + seconds * 1000;
  let kills = 0;
  let isDone = false;
  const writers = artifacts.map(async (artifact, index) => {
    while (performance.now() < endAt) {
      await writeUntilKilled(index === 2 ? 'publish' : 'put', artifact, random.between(0, 400));
      kills += 1;
    }
  });
  const all = Promise.all(writers).finally(() => {
    isDone = true;
  });
  let reads = 0;
  while (!isDone) {
    const stored = await store.find('csv', '1.0.0', 'linux-x86_64');
    expect(known).toContain(stored?.sha256);
    reads += 1;
    await wait(1);
  }
  await all;
  expect(kills).toBeGreaterThan(2);
  expect(reads).toBeGreaterThan(kills);
  await store.put(artifacts[1]!);
  expect((await store.list())[0]?.meta).toEqual(artifacts[1]!.meta);
  expect(readdirSync(join(folder, 'csv/1.0.0'))).toHaveLength(3);
});

async function writeUntilKilled(verb: string, artifact: PackedArtifact, afterMs: number): Promise<void> {
  const json = JSON.stringify({ ...artifact, bytes: Buffer.from(artifact.bytes).toString('base64'), repeat: 1e9 });
  const child = spawn(process.execPath, [script, folder, verb, json, ''], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  // From its first write on, so that a slow start is not mistaken for work.
  child.stdout.once('data', () => void wait(afterMs).then(() => child.kill('SIGKILL')));
  child.stdout.resume();
  expect(await ended).toEqual([null, 'SIGKILL']);
}
