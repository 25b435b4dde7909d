/**
 * Brings `dist` up to date before the tests: worker threads run compiled JavaScript (src/wasm/worker-file.ts). Compiles into
 * a folder of its own and moves changed files over, so that two test runs at once never load a half-written file.
 * Type errors do not stop it: `npm run check` reports those.
 */
import { spawnSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const dist = join(root, 'dist');
const stamp = join(dist, '.built-at');
const sources = ['src', 'machines', 'workers'];

export default function build(): void {
  if (isCurrent()) return;
  const builtAt = new Date();
  mkdirSync(dist, { recursive: true });
  const fresh = mkdtempSync(join(dist, '.next-'));
  try {
    const tsc = createRequire(import.meta.url)
      .resolve('typescript/package.json')
      .replace('package.json', 'bin/tsc');
    const run = spawnSync(process.execPath, [tsc, '-p', 'tsconfig.build.json', '--outDir', fresh], {
      cwd: root,
      encoding: 'utf8',
    });
    const files = filesIn(fresh);
    if (files.length === 0) throw new Error(`the build wrote nothing:\n${run.stdout}${run.stderr}`);
    for (const file of files) publish(join(fresh, file), join(dist, file));
    spawnSync(process.execPath, ['scripts/bundle.mjs'], { cwd: root, stdio: 'inherit' });
    writeFileSync(stamp, builtAt.toISOString());
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

function isCurrent(): boolean {
  const builtAt = Date.parse(readText(stamp) ?? '');
  if (Number.isNaN(builtAt)) return false;
  return sources.every((folder) =>
    filesIn(join(root, folder)).every((file) => statSync(join(root, folder, file)).mtimeMs < builtAt),
  );
}

function publish(from: string, to: string): void {
  if (readText(to) === readText(from)) return;
  mkdirSync(dirname(to), { recursive: true });
  renameSync(from, to);
}

function filesIn(folder: string): string[] {
  try {
    const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
  } catch {
    return [];
  }
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
