import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { holdDirectory } from '../../src/home/held.js';
import type { HeldDirectory, RefusalLatch } from '../../src/home/types.js';
import type { Anchor } from '../../src/home/walk.js';

/** A folder that is removed when the test ends. */
export function temporaryFolder(): string {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'mur-home-')));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** A folder held open for one test. */
export function heldFolder(options: { anchor?: Anchor; latch?: RefusalLatch } = {}): HeldDirectory {
  const held = holdDirectory(temporaryFolder(), options);
  onTestFinished(() => held.close());
  return held;
}

/** What `work` throws, by code. Fails when it throws nothing. */
export function codeOf(work: () => unknown): string | undefined {
  try {
    work();
  } catch (error) {
    return (error as { code?: string }).code;
  }
  throw new Error('nothing was thrown');
}
