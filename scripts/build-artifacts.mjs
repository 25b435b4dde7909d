/**
 * Builds the components of artifacts/ (TypeScript -> QuickJS -> WASM) and records their digests in artifacts/digests.json.
 *
 *   node scripts/build-artifacts.mjs            rebuild what changed
 *   node scripts/build-artifacts.mjs --all      rebuild everything
 *   node scripts/build-artifacts.mjs --check    build nothing; exit 1 and name what is stale
 *
 * A build is not byte-stable: componentize-qjs snapshots QuickJS's heap, which holds hash seeds drawn at build time (only
 * the data section differs). Hence the built files are committed, and "fresh" means: the digest of the sources a file was
 * built from, of the WIT and of the tools equals today's, and the file is the one that build wrote.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const artifacts = join(root, 'artifacts');
const wit = join(artifacts, 'wit');
const digestsFile = join(artifacts, 'digests.json');

/** Artifact folder -> world of artifacts/wit/worlds.wit. */
const worlds = {
  'mur-driver-anthropic': 'driver',
  'mur-driver-openai': 'driver',
  'mur-driver-rehearsal': 'rehearsal',
  'mur-tool-files': 'files',
};

const sha256 = (bytes) => createHash('sha256').update(bytes).digest('hex');

function toolVersions() {
  return Object.fromEntries(
    ['componentize-qjs', 'typescript'].map((name) => [
      name,
      JSON.parse(readFileSync(join(root, 'node_modules', name, 'package.json'), 'utf8')).version,
    ]),
  );
}

/** The entry file and every file it reaches through relative imports. */
function sourcesOf(name) {
  const found = new Set();
  const visit = (file) => {
    if (found.has(file)) return;
    found.add(file);
    for (const [, target] of readFileSync(file, 'utf8').matchAll(/from '(\.[^']*)\.js'/g)) {
      visit(resolve(dirname(file), `${target}.ts`));
    }
  };
  visit(join(artifacts, name, 'src/main.ts'));
  return [...found];
}

function filesUnder(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

function sourceDigest(name) {
  const files = [...sourcesOf(name), ...filesUnder(wit)].map((file) => [
    relative(artifacts, file),
    sha256(readFileSync(file)),
  ]);
  files.sort(([a], [b]) => (a < b ? -1 : 1));
  return sha256(JSON.stringify({ world: worlds[name], tools: toolVersions(), files }));
}

function wasmFile(name) {
  return join(artifacts, name, `${name}.wasm`);
}

function isFresh(name, recorded) {
  const file = wasmFile(name);
  if (recorded === undefined || !existsSync(file)) return false;
  return recorded.source === sourceDigest(name) && recorded.wasm === sha256(readFileSync(file));
}

/** Compiles all TypeScript once into `outDir`. */
function compile(outDir) {
  const args = ['-p', artifacts, '--noEmit', 'false', '--outDir', outDir];
  const done = spawnSync(join(root, 'node_modules/.bin/tsc'), args, { stdio: 'inherit' });
  if (done.status !== 0) throw new Error('TypeScript refused the sources of artifacts/');
}

async function build(name, compiled) {
  const { componentize } = await import('componentize-qjs');
  const jsPath = join(compiled, name, 'src/main.js');
  const { component } = await componentize({
    witPath: wit,
    world: worlds[name],
    jsSource: readFileSync(jsPath, 'utf8'),
    jsPath,
    moduleRoot: compiled,
    sync: true, // the default is the async ABI, which needs JSPI
    optSize: true,
  });
  renameNamespace(component);
  writeFileSync(wasmFile(name), component);
}

/** `wasj:` -> `wasi:` in place; the reason is in artifacts/wit/worlds.wit. */
function renameNamespace(bytes) {
  for (let at = bytes.indexOf('wasj:'); at !== -1; at = bytes.indexOf('wasj:', at)) bytes.write('wasi:', at);
}

const options = process.argv.slice(2);
const recorded = existsSync(digestsFile) ? JSON.parse(readFileSync(digestsFile, 'utf8')) : {};
const names = Object.keys(worlds);
const stale = names.filter((name) => options.includes('--all') || !isFresh(name, recorded[name]));

if (options.includes('--check')) {
  for (const name of stale) console.error(`stale: artifacts/${name}; run node scripts/build-artifacts.mjs`);
  process.exitCode = stale.length > 0 ? 1 : 0;
} else if (stale.length > 0) {
  const compiled = mkdtempSync(join(tmpdir(), 'mur-artifacts-'));
  try {
    compile(compiled);
    for (const name of stale) {
      await build(name, compiled);
      console.log(`built artifacts/${name}/${name}.wasm`);
    }
  } finally {
    rmSync(compiled, { recursive: true, force: true });
  }
  const digests = names.map((name) => [
    name,
    { source: sourceDigest(name), wasm: sha256(readFileSync(wasmFile(name))) },
  ]);
  writeFileSync(digestsFile, `${JSON.stringify(Object.fromEntries(digests), null, 2)}\n`);
}
