import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isProvablyGone, ownStartToken } from '../../src/home/holder.js';
import { removeLeftovers } from '../../src/home/leftovers.js';
import { murmurHome } from '../../src/home/murmur-home.js';
import { startToken } from '../../src/home/process-identity.js';
import { isLeftOver, temporaryName } from '../../src/home/temporary.js';
import type { MurmurHome } from '../../src/home/types.js';
import { mintId } from '../../src/supervise/ids.js';
import { temporaryFolder } from './temporary.js';

const nobody = 4_194_999;
const deadName = (index = 0) => `.mur-${nobody}-1-${index.toString(16).padStart(16, '0')}.tmp`;

function freshHome(): MurmurHome {
  const home = murmurHome({ HOME: temporaryFolder() });
  for (const path of [home.sessions, home.running, home.records]) mkdirSync(path);
  return home;
}

/** A session folder as a process left it, with this lock, or with none. */
function session(home: MurmurHome, lock?: string): string {
  const id = mintId('ses');
  mkdirSync(join(home.sessions, id, 'runtime'), { recursive: true });
  writeFileSync(join(home.sessions, id, 'runtime/MURMUR.md'), 'x');
  if (lock !== undefined) writeFileSync(join(home.sessions, id, '.lock'), lock);
  return id;
}

async function stranger(): Promise<{ pid: number; token: string; end: () => Promise<void> }> {
  const child = spawn('sleep', ['60']);
  await once(child, 'spawn');
  const end = async () => {
    child.kill('SIGKILL');
    await once(child, 'exit');
  };
  return { pid: child.pid!, token: startToken(child.pid!) ?? '', end };
}

describe('the proof that a process is gone', () => {
  test('is that nobody has the pid, or another process does', () => {
    expect(isProvablyGone(nobody, '1')).toBe(true);
    expect(isProvablyGone(process.pid, ownStartToken())).toBe(false);
  });

  test.runIf(process.platform === 'linux')('is that its pid is used by a process that started later', () => {
    expect(isProvablyGone(process.pid, '1')).toBe(true);
  });

  test.runIf(process.platform === 'linux')('is that it exited, also while nobody has waited for it', async () => {
    // The shell becomes a program that never waits, so its child stays a zombie.
    const parent = spawn('sh', ['-c', 'sleep 0.1 & echo $!; exec sleep 30'], { stdio: ['ignore', 'pipe', 'ignore'] });
    const [text] = (await once(parent.stdout, 'data')) as [Buffer];
    const zombie = Number(text.toString());
    try {
      await expect.poll(() => isProvablyGone(zombie, startToken(zombie))).toBe(true);
      expect(existsSync(`/proc/${zombie}`)).toBe(true);
    } finally {
      parent.kill('SIGKILL');
      await once(parent, 'exit');
    }
  });

  test.each([0, -1, 2 ** 31, 2 ** 32, 1.5, Number.NaN])('is never given for the number %d', (pid) => {
    expect(isProvablyGone(pid, '1')).toBe(false);
  });

  test('is not given for a living pid whose start nobody wrote down', () => {
    for (const token of ['', undefined]) expect(isProvablyGone(process.pid, token)).toBe(false);
  });
});

describe('a temporary name', () => {
  test('is left over once its process is gone, and not before', async () => {
    expect(isLeftOver(temporaryName())).toBe(false);
    const other = await stranger();
    const name = `.mur-${other.pid}-${other.token}-${'0'.repeat(16)}.tmp`;
    expect(isLeftOver(name)).toBe(false);
    await other.end();
    expect(isLeftOver(name)).toBe(true);
  });

  test('is not one that anybody else made', () => {
    fc.assert(
      fc.property(fc.string(), (name) => {
        expect(isLeftOver(name)).toBe(false);
        expect(isLeftOver(`.mur-${name}.tmp`)).toBe(false);
      }),
    );
  });
});

describe('a launch removes', () => {
  test('the folders of sessions whose process is gone, however young, and keeps those of living ones, however old', async () => {
    const home = freshHome();
    const other = await stranger();
    const dead = session(home, `${nobody} 1\n\n`);
    const alive = session(home, `${other.pid} ${other.token}\n\n`);
    const own = session(home, `${process.pid} ${ownStartToken()}\n\n`);
    const unreadable = session(home, 'garbage');
    const removedHalfWay = session(home);
    const longAgo = new Date(0);
    for (const id of [alive, own]) utimesSync(join(home.sessions, id), longAgo, longAgo);
    mkdirSync(join(home.sessions, 'other'));

    expect(removeLeftovers(home)).toEqual([dead, removedHalfWay].sort());
    expect(readdirSync(home.sessions).sort()).toEqual([alive, own, unreadable, 'other'].sort());
    await other.end();
    expect(removeLeftovers(home)).toEqual([alive]);
  });

  test('what was being made: session folders, running records, and results of dead sessions', () => {
    const home = freshHome();
    const records = join(home.records, 'srv/project/workdir/ses_x');
    mkdirSync(join(records, 'out'), { recursive: true });
    session(home, `${nobody} 1\nsrv/project/workdir/ses_x\n`);
    mkdirSync(join(home.sessions, deadName()));
    const kept = temporaryName();
    for (const folder of [home.running, records, join(records, 'out')]) {
      for (const name of [deadName(), kept, 'result.txt']) writeFileSync(join(folder, name), 'x');
    }
    removeLeftovers(home);
    expect(readdirSync(home.sessions)).toEqual([]);
    for (const folder of [home.running, records, join(records, 'out')]) {
      expect(readdirSync(folder).filter((name) => name !== 'out')).toEqual([kept, 'result.txt']);
    }
  });

  test('nothing that the lock of a dead session leads to outside the records', () => {
    const home = freshHome();
    const outside = temporaryFolder();
    writeFileSync(join(outside, deadName()), 'x');
    symlinkSync(outside, join(home.records, 'link'));
    for (const path of ['link', '../../..', outside]) session(home, `${nobody} 1\n${path}\n`);
    removeLeftovers(home);
    expect(readdirSync(outside)).toEqual([deadName()]);
  });

  test('nothing, and fails nothing, in a home that was never used', () => {
    const home = murmurHome({ HOME: temporaryFolder() });
    expect(removeLeftovers(home)).toEqual([]);
  });
});

test('several launches at once remove each leftover once, and none of them fails', async () => {
  const home = freshHome();
  const ids = Array.from({ length: 40 }, () => session(home, `${nobody} 1\n\n`));
  const module = new URL('../../dist/src/home/leftovers.js', import.meta.url).href;
  const code = `import { removeLeftovers } from ${JSON.stringify(module)};
    process.stdout.write(JSON.stringify(removeLeftovers(${JSON.stringify(home)})));`;
  const runs = await Promise.all(
    Array.from({ length: 4 }, async () => {
      const child = spawn(process.execPath, ['--input-type=module', '-e', code], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      let text = '';
      child.stdout.on('data', (part) => {
        text += part;
      });
      const [status] = await once(child, 'close');
      expect(status).toBe(0);
      return JSON.parse(text) as string[];
    }),
  );
  expect(readdirSync(home.sessions)).toEqual([]);
  expect([...new Set(runs.flat())].sort().every((id) => ids.includes(id))).toBe(true);
});
