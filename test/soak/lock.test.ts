import { mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { describeArchive } from '../../src/artifacts/describe.js';
import { localStore } from '../../src/artifacts/local-store.js';
import { pin, readLock, updateLock } from '../../src/lock/index.js';
import { sha256Hex } from '../../src/text/index.js';
import { skill } from '../artifacts/registries/server.js';
import { Sandbox } from '../e2e/cli.js';
import { startPinner } from '../lock/pinner.js';
import { Random } from './random.js';

const seconds = Number(process.env.MUR_SOAK_SECONDS ?? 60);
const seed = Number(process.env.MUR_SOAK_SEED ?? Math.floor(Math.random() * 2 ** 32));

/** Repeats `round` for as long as the soak takes; says how often that was. */
async function soak(what: string, round: () => Promise<void>): Promise<void> {
  const endsAt = performance.now() + seconds * 1_000;
  let rounds = 0;
  while (performance.now() < endsAt) {
    await round();
    rounds += 1;
  }
  process.stdout.write(`soak: ${rounds} rounds of ${what}, seed ${seed}\n`);
  expect(rounds).toBeGreaterThan(0);
}

function projectFolder(): string {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'mur-lock-')));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}
const names = (dir: string): string[] => (readLock(dir)?.artifacts ?? []).map(({ name }) => name);

test('six processes pin, two of them are killed: whole locks, and no pin of a survivor is lost', async () => {
  const random = new Random(seed);
  await soak('six processes that pin', async () => {
    const dir = projectFolder();
    const pinners = Array.from({ length: 6 }, (_, index) =>
      startPinner(dir, `p${index}`, 8, index < 2 ? random.between(1, 60) : 0),
    );
    const ended = await Promise.all(pinners.map((pinner) => pinner.ended));
    const listed = names(dir);
    expect(new Set(listed).size).toBe(listed.length);
    for (const [index, { code, signal }] of ended.entries()) {
      const mine = listed.filter((name) => name.startsWith(`p${index}-`));
      // In order and without a gap: nobody wrote over a later lock with an earlier one.
      expect(mine).toEqual(mine.map((_, at) => `p${index}-${at}`));
      if (signal === 'SIGKILL') continue;
      expect([code, mine.length]).toEqual([0, 8]);
    }
    await updateLock(dir, (lock) =>
      pin(lock, { name: 'z', version: '1', sha256: 'ab'.repeat(32), origin: 'operator' }),
    );
    expect(readdirSync(dir)).toEqual(['murmur.lock']);
    rmSync(dir, { recursive: true });
  });
});

test('two mur install at once leave a whole lock with both entries, and whole stores', async () => {
  const sandbox = new Sandbox();
  onTestFinished(() => sandbox.remove());
  sandbox.manifest('name: a\nversion: "1"\n');
  const global = localStore('global', join(sandbox.home, '.murmur', 'artifacts'));
  const project = localStore('project', join(sandbox.project, '.murmur', 'artifacts'));
  const archives = [await skill('a-skill', '1.0.0', 2_000_000), await skill('b-skill', '1.0.0', 2_000_000)];
  for (const bytes of archives) await global.put(await describeArchive(bytes, 'test.zip'));
  await soak('two mur install at once', async () => {
    rmSync(project.root, { recursive: true, force: true });
    rmSync(join(sandbox.project, 'murmur.lock'), { force: true });
    const refs = ['a-skill@1.0.0', 'b-skill@1.0.0'];
    const ran = await Promise.all(refs.map((ref) => sandbox.install(['--no-precompile', ref])));
    expect(ran.map(({ code, stderr }) => [code, stderr])).toEqual([
      [0, ''],
      [0, ''],
    ]);
    expect(readLock(sandbox.project)?.artifacts.map(({ name, sha256 }) => [name, sha256])).toEqual([
      ['a-skill', { any: sha256Hex(archives[0]!) }],
      ['b-skill', { any: sha256Hex(archives[1]!) }],
    ]);
    for (const [at, name] of ['a-skill', 'b-skill'].entries()) {
      expect((await project.find(name, '1.0.0', 'linux-x86_64'))?.sha256).toBe(sha256Hex(archives[at]!));
    }
    expect(await project.problems()).toEqual([]);
    expect(readdirSync(sandbox.project).sort()).toEqual(['.murmur', 'murmur.lock', 'murmur.yaml']);
  });
});
