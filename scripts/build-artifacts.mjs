/**
 * Builds the components of artifacts/ the way `mur build` builds anybody's, beside their sources, and records what went into them in
 * artifacts/digests.json. Needs `npm run build` first: the builder is the product's own, src/build/.
 *
 *   npm run build:artifacts                     build what changed
 *   npm run build:artifacts -- --all            build everything; the same sources give the same bytes
 *   node scripts/build-artifacts.mjs --check    build nothing; exit 1 and name what is stale
 *
 * "Fresh" means: the files a component was built from, the WIT packages and the engine are today's, and the component is the one that
 * build wrote.
 */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const artifacts = join(root, 'artifacts');
const digestsFile = join(artifacts, 'digests.json');
const wasmFile = (name) => join(artifacts, name, `${name}.wasm`);
const sha256 = (bytes) => createHash('sha256').update(bytes).digest('hex');

/** Folders of artifacts/ whose manifest names a source. */
const names = readdirSync(artifacts).filter((name) => {
  const manifest = join(artifacts, name, 'murmur.yaml');
  return existsSync(manifest) && /^build:/m.test(readFileSync(manifest, 'utf8'));
});

function filesUnder(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

/** One digest over everything that decides the bytes of a component. `files` are paths below artifacts/. */
function sourceDigest(files) {
  const shared = [...filesUnder(join(artifacts, 'wit')), ...filesUnder(join(artifacts, 'engine'))];
  const all = [...files.map((file) => join(artifacts, file)), ...shared.filter((file) => !file.endsWith('.md'))].sort();
  const parts = all.map((file) => [relative(artifacts, file), existsSync(file) ? sha256(readFileSync(file)) : null]);
  return sha256(JSON.stringify(parts));
}

function isFresh(name, recorded) {
  const file = wasmFile(name);
  if (recorded === undefined || !existsSync(file)) return false;
  return recorded.source === sourceDigest(recorded.files) && recorded.wasm === sha256(readFileSync(file));
}

async function build(name) {
  const { compileDeclared, readDeclaration } = await import('../dist/src/build/index.js');
  const { component, files } = await compileDeclared(readDeclaration(join(artifacts, name)));
  writeFileSync(wasmFile(name), component);
  console.log(`built artifacts/${name}/${name}.wasm`);
  const below = files.map((file) => relative(artifacts, file));
  return { source: sourceDigest(below), wasm: sha256(component), files: below };
}

const options = process.argv.slice(2);
const recorded = existsSync(digestsFile) ? JSON.parse(readFileSync(digestsFile, 'utf8')) : {};
const stale = names.filter((name) => options.includes('--all') || !isFresh(name, recorded[name]));

if (options.includes('--check')) {
  for (const name of stale) console.error(`stale: artifacts/${name}; run npm run build:artifacts`);
  process.exitCode = stale.length > 0 ? 1 : 0;
} else if (stale.length > 0) {
  for (const name of stale) recorded[name] = await build(name);
  const digests = Object.fromEntries(names.map((name) => [name, recorded[name]]));
  writeFileSync(digestsFile, `${JSON.stringify(digests, null, 2)}\n`);
}
