import { mkdirSync, realpathSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fsCodeOf } from '../../../workers/wasi/fs/errors.js';
import { linuxTree, portableTree } from '../../../workers/wasi/fs/tree.js';
import { locate } from '../../../workers/wasi/fs/walk.js';
import { openDescriptors, openFolder } from './folder.js';

const name = fc.constantFrom('a', 'b', 'c', 'dir', 'sub', 'link');
const step = fc.oneof({ weight: 4, arbitrary: name }, fc.constantFrom('..', '.', ''));
const relative = fc.array(step, { minLength: 1, maxLength: 6 }).map((steps) => steps.join('/'));
const target = fc.oneof(
  { weight: 6, arbitrary: relative },
  fc.constantFrom('../outside', '../outside/secret.txt', '/etc', '/', '/proc/self/root', '../../..'),
);
const path = fc.oneof({ weight: 9, arbitrary: relative }, target);
/** Entries to make, in order; what cannot be made (a parent is missing, the name is taken) is left out. */
const entry = fc.oneof(
  fc.record({ kind: fc.constant('dir' as const), at: fc.array(name, { minLength: 1, maxLength: 3 }) }),
  fc.record({ kind: fc.constant('file' as const), at: fc.array(name, { minLength: 1, maxLength: 3 }) }),
  fc.record({ kind: fc.constant('link' as const), at: fc.array(name, { minLength: 1, maxLength: 3 }), target }),
);

function make(work: string, made: typeof entry extends fc.Arbitrary<infer T> ? T : never): void {
  const at = join(work, ...made.at);
  try {
    // Never build through a link of an earlier entry: the tree itself stays inside.
    if (realpathSync(dirname(at)) !== dirname(at)) return;
    if (made.kind === 'dir') mkdirSync(at);
    else if (made.kind === 'file') writeFileSync(at, made.at.join('/'), { flag: 'wx' });
    else symlinkSync(made.target, at);
  } catch {
    // Left out.
  }
}

describe('the path walk, for any tree of directories, files and links and any path', () => {
  it('opens what the kernel would open if it lies inside, and nothing else', () => {
    fc.assert(
      fc.property(
        fc.array(entry, { maxLength: 12 }),
        fc.array(path, { minLength: 1, maxLength: 8 }),
        (entries, wanted) => {
          using folder = openFolder();
          const work = realpathSync(folder.work);
          for (const each of entries) make(work, each);
          for (const each of wanted) {
            const code = folder.codeOf(() => {
              const opened = folder.open(each);
              const seen = opened.stat();
              const real = statSync(join(work, each), { bigint: true });
              const inside = realpathSync(`${work}/${each}`);
              expect(inside === work || inside.startsWith(`${work}/`)).toBe(true);
              const ns =
                seen.statusChangeTimestamp!.seconds * 1_000_000_000n + BigInt(seen.statusChangeTimestamp!.nanoseconds);
              expect([seen.size, ns, seen.type === 'directory']).toEqual([real.size, real.ctimeNs, real.isDirectory()]);
            });
            expect(code === undefined || typeof code === 'string', String(code)).toBe(true);
            // An empty path names nothing, though the kernel would see the folder it is joined to.
            if (code === undefined || code === 'not-permitted' || each === '') continue;
            // Refused for another reason than leaving: then the kernel cannot open it either.
            expect(() => statSync(`${work}/${each}`), `${each} was ${String(code)}`).toThrow();
          }
        },
      ),
      { numRuns: 150 },
    );
  });

  it('ends at the same place whether directories are held by descriptor or by path', () => {
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 12 }), path, fc.boolean(), (entries, wanted, follow) => {
        using folder = openFolder();
        const work = realpathSync(folder.work);
        for (const each of entries) make(work, each);
        const ends = [linuxTree, portableTree].map((tree) => {
          try {
            const place = locate(tree, { path: work, close: () => {} }, wanted, follow);
            const end = `${realpathSync(place.dir.path)} ${place.leaf} ${place.directoryOnly}`;
            place.release();
            return end;
          } catch (thrown) {
            return fsCodeOf(thrown) ?? thrown;
          }
        });
        expect(ends[0]).toBe(ends[1]);
      }),
      { numRuns: 150 },
    );
  });

  it('holds no descriptor after it is released', () => {
    const before = openDescriptors();
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 12 }), path, (entries, wanted) => {
        using folder = openFolder();
        for (const each of entries) make(realpathSync(folder.work), each);
        folder.codeOf(() => folder.open(wanted));
        folder.codeOf(() => folder.root.statAt({ symlinkFollow: true }, wanted));
      }),
      { numRuns: 100 },
    );
    expect(openDescriptors()).toBe(before);
  });
});
