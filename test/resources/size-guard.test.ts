import { link, mkdir, mkdtemp, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { folderSize } from '../../src/resources/folder-size.js';
import { openSizeGuard, type SizeBreach, sizeError } from '../../src/resources/index.js';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'mur-size-'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

describe('the size of a folder', () => {
  test('is the sum of its files, however deep', async () => {
    await mkdir(join(root, 'a/b/c'), { recursive: true });
    await writeFile(join(root, 'one'), 'x'.repeat(10));
    await writeFile(join(root, 'a/b/c/two'), 'x'.repeat(32));
    expect(await folderSize(root)).toBe(42);
  });

  test('does not follow links: neither in a circle nor out', async () => {
    const inside = join(root, 'inside');
    await mkdir(inside);
    await writeFile(join(root, 'outside'), 'x'.repeat(1000));
    await symlink('..', join(inside, 'up'));
    await symlink('.', join(inside, 'self'));
    await symlink('../outside', join(inside, 'file'));
    expect(await folderSize(inside)).toBeLessThan(100);
  });

  test('counts a file of several names once', async () => {
    await writeFile(join(root, 'one'), 'x'.repeat(10));
    await link(join(root, 'one'), join(root, 'two'));
    expect(await folderSize(root)).toBe(10);
  });

  test('of a folder that is not there is 0', async () => {
    expect(await folderSize(join(root, 'nowhere'))).toBe(0);
  });

  test('can be stopped', async () => {
    await writeFile(join(root, 'one'), '');
    await expect(folderSize(root, AbortSignal.abort())).rejects.toThrow(/aborted/);
  });

  test('does not hold the event loop while it counts thousands of files', async () => {
    await Promise.all(Array.from({ length: 3000 }, (_, i) => writeFile(join(root, `f${i}`), 'x')));
    let turns = 0;
    const timer = setInterval(() => {
      turns += 1;
    }, 1);
    expect(await folderSize(root)).toBe(3000);
    clearInterval(timer);
    expect(turns).toBeGreaterThan(3);
  });
});

/** Sleeps that end when the test says so. */
function manualClock() {
  let wake = () => {};
  return {
    tick: () => wake(),
    sleep: (_: number, signal?: AbortSignal) =>
      new Promise<void>((done, fail) => {
        wake = done;
        signal?.addEventListener('abort', () => fail(signal.reason));
      }),
  };
}

describe('the guard', () => {
  test('says nothing at the limit and latches once above it', async () => {
    const breaches: SizeBreach[] = [];
    const guard = openSizeGuard({
      folders: [root],
      maxBytes: 10,
      clock: manualClock(),
      onBreach: (b) => breaches.push(b),
    });
    await writeFile(join(root, 'one'), 'x'.repeat(10));
    expect(await guard.look()).toBeUndefined();
    await truncate(join(root, 'one'), 11);
    expect(await guard.look()).toEqual({ maxBytes: 10, observedBytes: 11 });
    await truncate(join(root, 'one'), 0);
    expect(await guard.look()).toEqual({ maxBytes: 10, observedBytes: 11 });
    expect(guard.breach()).toEqual({ maxBytes: 10, observedBytes: 11 });
    expect(breaches).toHaveLength(1);
    await guard.close();
  });

  test('adds up the folders and looks by itself after each interval', async () => {
    await mkdir(join(root, 'work'));
    await mkdir(join(root, 'tmp'));
    await writeFile(join(root, 'work/a'), 'x'.repeat(6));
    await writeFile(join(root, 'tmp/b'), 'x'.repeat(6));
    const clock = manualClock();
    const breach = await new Promise<SizeBreach>((done) => {
      openSizeGuard({ folders: [join(root, 'work'), join(root, 'tmp')], maxBytes: 11, clock, onBreach: done });
      clock.tick();
    });
    expect(breach).toEqual({ maxBytes: 11, observedBytes: 12 });
  });

  test('joins a look that is going on', async () => {
    const guard = openSizeGuard({ folders: [root], maxBytes: 1, clock: manualClock(), onBreach: () => {} });
    await writeFile(join(root, 'one'), 'xx');
    const [one, two] = await Promise.all([guard.look(), guard.look()]);
    expect(one).toEqual(two);
    await guard.close();
  });

  test('ends in the middle of a walk', async () => {
    await Promise.all(Array.from({ length: 500 }, (_, i) => writeFile(join(root, `f${i}`), 'x')));
    const clock = manualClock();
    const guard = openSizeGuard({ folders: [root], maxBytes: 1e9, clock, onBreach: () => {} });
    clock.tick();
    await guard.close();
    expect(guard.breach()).toBeUndefined();
  });

  test('has an error that names both numbers and the key', () => {
    expect(sizeError({ maxBytes: 10, observedBytes: 11 })).toMatchObject({
      code: 'E-RUN-013',
      message: expect.stringMatching(/ 11 bytes.*workdir_max_bytes \(10\)/),
    });
  });
});
