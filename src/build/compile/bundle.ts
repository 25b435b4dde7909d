import { readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { isAbsolute, join, relative } from 'node:path';
import type { Plugin } from 'rolldown';
import { isMurError, type MurError } from '../../errors/index.js';
import { bundleFault, missingExport, type Place, sourceFault } from './faults.js';
import { Inside } from './inside.js';
import { artifactsFolder } from './package-files.js';
import { type CompiledRole, roles } from './roles.js';

export interface Bundle {
  /** One module of JavaScript, whose only imports are WIT interfaces. */
  readonly code: string;
  /** Those imports, sorted: `wasj:filesystem/preopens@0.2.9`. */
  readonly imports: readonly string[];
  /** Every file that went in, sorted, as paths. */
  readonly files: readonly string[];
}

export interface BundleRequest {
  /** The author's file. */
  readonly file: string;
  readonly role: CompiledRole;
  /** The source exports the WIT interface itself. */
  readonly isRaw: boolean;
  /** Messages name files relative to this folder. */
  readonly root: string;
}

const entryId = 'mur:entry';
const moduleName = /^mur:([a-z-]+)$/;
const authorModules = ['tool', 'driver', 'hook', 'serve-tool', 'serve-driver', 'serve-hook'];
const witInterface = /^(?:wasj|murmur):[a-z-]+\/[a-z-]+@/;

/**
 * What a browser or Node offers and QuickJS does not, by the module that gives it. Only what a source names is brought in,
 * so that a component asks its host for nothing it does not use.
 */
const globals: Readonly<Record<string, readonly [file: string, name: string]>> = {
  console: ['console', 'console'],
  fetch: ['fetch', 'fetch'],
  Response: ['fetch', 'Response'],
  TextEncoder: ['text', 'TextEncoder'],
  TextDecoder: ['text', 'TextDecoder'],
  setTimeout: ['timers', 'setTimeout'],
  setInterval: ['timers', 'setInterval'],
  clearTimeout: ['timers', 'clearTimeout'],
  clearInterval: ['timers', 'clearInterval'],
  crypto: ['random', 'crypto'],
  'Math.random': ['random', 'mathRandom'],
};

/**
 * The source and all it imports as one module. `async` is turned into generators over the promises of artifacts/author/loop.ts,
 * because QuickJS would run its own only after the call. Types are removed, not checked. Throws `E-BLD-901` with file, line and column.
 */
export async function bundleSource(request: BundleRequest): Promise<Bundle> {
  const { rolldown } = await import('rolldown');
  const author = join(artifactsFolder(), 'author');
  const seen: Seen = { files: new Set(), importers: new Map(), exports: [] };
  try {
    const bundle = await rolldown({
      input: request.isRaw ? request.file : entryId,
      cwd: request.root,
      platform: 'neutral',
      external: witInterface,
      logLevel: 'silent',
      treeshake: { moduleSideEffects: [{ test: /\/artifacts\/author\/(?!loop\.ts$)/, sideEffects: false }] },
      resolve: {
        extensions: ['.ts', '.mts', '.js', '.mjs', '.json'],
        extensionAlias: { '.js': ['.ts', '.js'], '.mjs': ['.mts', '.mjs'] },
        mainFields: ['module', 'main'],
        conditionNames: ['import', 'default'],
      },
      tsconfig: false,
      // The comments it would add name files, so the folder of a project would decide its bytes.
      experimental: { attachDebugInfo: 'none' },
      transform: { target: 'es2016', inject: injected(author) },
      plugins: [plugin(request, author, seen)],
    });
    try {
      const { output } = await bundle.generate({ format: 'esm', comments: false, codeSplitting: false });
      const [{ code, imports }] = output;
      if (!request.isRaw) checkExports(request, seen.exports);
      checkImports(imports, request, seen.importers);
      return { code, imports: [...imports].sort(), files: [...seen.files].sort() };
    } finally {
      await bundle.close();
    }
  } catch (error) {
    if (seen.refused !== undefined) throw seen.refused;
    throw isMurError(error) ? error : bundleFault(error, { ...request, entryId, exports: seen.exports });
  }
}

/** What the bundler met, for messages and digests. */
interface Seen {
  readonly files: Set<string>;
  /** Import as written -> the file that wrote it. */
  readonly importers: Map<string, string>;
  /** Names the author's file exports; `*` for a re-export of everything. */
  exports: readonly string[];
  /** Why the source may not have what it imports. */
  refused?: MurError;
}

function injected(author: string): Record<string, [string, string]> {
  return Object.fromEntries(
    Object.entries(globals).map(([name, [file, from]]) => [name, [join(author, `${file}.ts`), from]]),
  );
}

function plugin(request: BundleRequest, author: string, seen: Seen): Plugin {
  const inside = new Inside([request.root, artifactsFolder()]);
  return {
    name: 'mur',
    async resolveId(id, importer) {
      if (id === entryId) return id;
      if (importer !== undefined && importer !== entryId) seen.importers.set(id, importer);
      const name = moduleName.exec(id)?.[1];
      if (name !== undefined && authorModules.includes(name)) return join(author, `${name}.ts`);
      if (witInterface.test(id)) return null;
      const resolved = await this.resolve(id, importer, { skipSelf: true });
      if (resolved !== null && isAbsolute(resolved.id) && !inside.admits(resolved.id, id)) {
        // The bundler writes a code of its own into what is thrown here.
        seen.refused = outsideFault(request, resolved.id, id, importer);
        throw new Error(seen.refused.message);
      }
      return resolved;
    },
    load(id) {
      if (id === entryId) return { code: entryCode(request), moduleType: 'js' };
      if (!id.startsWith('\0')) seen.files.add(id);
      return null;
    },
    moduleParsed({ id, exports }) {
      if (id === request.file) seen.exports = exports ?? [];
    },
  };
}

function outsideFault(request: BundleRequest, file: string, id: string, importer: string | undefined): MurError {
  const isEntry = importer === undefined || importer === entryId;
  return sourceFault(
    isEntry
      ? `${file} lies outside of the artifact's folder`
      : `cannot import '${id}': ${file} lies outside of the artifact's folder`,
    isEntry ? undefined : placeOf(importer, id),
    request.root,
    'whoever gets the artifact could read it: copy what is needed into the folder, or make it a package in node_modules',
  );
}

/** The module that turns the author's exports into those of the component. */
function entryCode({ file, role }: BundleRequest): string {
  const { serve, entry, functions } = roles[role];
  const source = JSON.stringify(file);
  const names = functions.length === 1 ? `{ ${functions[0]} }` : '* as author';
  return `import { serve } from 'mur:${serve}';\nimport ${names} from ${source};\n${entry}\n`;
}

/** With several functions to choose from the bundler cannot miss one, so the names are looked at here. */
function checkExports(request: BundleRequest, exports: readonly string[]): void {
  const { functions } = roles[request.role];
  if (functions.length === 1 || exports.includes('*') || functions.some((name) => exports.includes(name))) return;
  throw missingExport({ ...request, exports });
}

/** Whatever is left beside WIT interfaces is something that a component does not have. */
function checkImports(
  imports: readonly string[],
  { root }: BundleRequest,
  importers: ReadonlyMap<string, string>,
): void {
  const odd = imports.find((name) => !witInterface.test(name));
  if (odd === undefined) return;
  const importer = importers.get(odd);
  const where = relative(root, importer ?? root) || 'the source';
  throw sourceFault(
    `cannot import '${odd}': ${reasonAgainst(odd, where)}`,
    importer === undefined ? undefined : placeOf(importer, odd),
    root,
    'mur.d.ts, which mur new writes, says what there is; npm packages that need no Node work too',
  );
}

function reasonAgainst(name: string, importer: string): string {
  if (name.startsWith('mur:')) return 'mur has mur:tool, mur:driver and mur:hook';
  if (name.startsWith('node:') || isBuiltin(name)) return 'a component has no Node modules; use mur:tool or fetch';
  return `no package or file of that name was found; install it beside ${importer}`;
}

/** Where `file` names the import, by its first quoted mention. */
function placeOf(file: string, name: string): Place {
  const lines = readFileSync(file, 'utf8').split('\n');
  const line = lines.findIndex((text) => text.includes(`'${name}'`) || text.includes(`"${name}"`));
  return line === -1 ? { file } : { file, line: line + 1, column: (lines[line] ?? '').indexOf(name) };
}
