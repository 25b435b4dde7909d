/**
 * The compiled forms on disk: one folder per key, made whole and renamed into place, read only when every digest fits.
 * Not the compiling (compiler.ts) and not what a process keeps in memory (compiled.ts).
 *
 * Layout: `<key>/manifest.json`, `<key>/c.vm.js`, `<key>/<module>.wasm`, and later `<key>/c.vm.cache-<v8>-<arch>`. What is being
 * made is beside the keys under a name that says by whom, and is removed by the next host once that process is gone.
 * Several processes may build the same key; the first rename wins and the others use its result.
 * Does not stop: somebody who can write into the folder. It is 0700, owned by this user, and its digests guard against
 * torn writes and decay, not against its owner.
 */
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { chmod, lstat, mkdir, open, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ModuleMeta } from '../../workers/message.js';
import { MurError } from '../errors/index.js';
import { ioError, isLeftOver, temporaryName } from '../home/index.js';

export interface CachedModule {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly meta: ModuleMeta;
}

/** What the transpile task makes of a component, and what the cache gives back. */
export interface CompiledForm {
  readonly source: Uint8Array;
  readonly modules: readonly CachedModule[];
  /** Import keys without versions. */
  readonly imports: readonly string[];
}

interface ManifestBody {
  readonly sha256: string;
  readonly sourceSha256: string;
  readonly modules: readonly { readonly name: string; readonly sha256: string; readonly meta: ModuleMeta }[];
  readonly imports: readonly string[];
  readonly interfaces: { readonly imports: readonly string[]; readonly exports: readonly string[] };
}

/**
 * `digest` covers the key and the JSON text of `body`, so a damaged manifest cannot vouch for damaged files, nor the entry of one
 * component stand in for another's.
 */
interface Manifest {
  readonly digest: string;
  readonly body: ManifestBody;
}

const sourceFile = 'c.vm.js';
const codeCacheFile = `c.vm.cache-${process.versions.v8}-${process.arch}`;
const digestBytes = 32;

export function sha256(...parts: readonly (Uint8Array | string)[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest('hex');
}

export class ComponentCache {
  readonly #dir: string;
  #opened: Promise<void> | undefined;

  constructor(dir: string) {
    this.#dir = dir;
  }

  /** The verified form under `key`, or `undefined` when there is none or any part of it is damaged. */
  async read(key: string): Promise<CompiledForm | undefined> {
    await this.#open();
    try {
      if (!(await lstat(join(this.#dir, key))).isDirectory()) return undefined;
      const manifest = JSON.parse((await readPlain(this.#path(key, 'manifest.json'))).toString('utf8')) as Manifest;
      const { body } = manifest;
      if (digestOf(key, body) !== manifest.digest) return undefined;
      const [source, ...bytes] = await Promise.all([
        readPlain(this.#path(key, sourceFile)),
        ...body.modules.map(({ name }) => readPlain(this.#path(key, name))),
      ]);
      if (sha256(source) !== body.sourceSha256) return undefined;
      const modules = body.modules.map(({ name, meta }, index) => ({ name, meta, bytes: bytes[index]! }));
      const isIntact = modules.every((module, index) => sha256(module.bytes) === body.modules[index]!.sha256);
      return isIntact ? { source, modules, imports: body.imports } : undefined;
    } catch {
      // Absent or unreadable: the caller compiles again, which also replaces it.
      return undefined;
    }
  }

  /** Puts `form` under `key`. When another process was first and its entry is intact, that one stays. */
  async write(
    key: string,
    componentSha256: string,
    interfaces: ManifestBody['interfaces'],
    form: CompiledForm,
  ): Promise<void> {
    await this.#open();
    const building = join(this.#dir, temporaryName());
    try {
      await mkdir(building, { mode: 0o700 });
      const body: ManifestBody = {
        sha256: componentSha256,
        sourceSha256: sha256(form.source),
        modules: form.modules.map(({ name, bytes, meta }) => ({ name, sha256: sha256(bytes), meta })),
        imports: form.imports,
        interfaces,
      };
      const manifest: Manifest = { digest: digestOf(key, body), body };
      const put = (name: string, data: Uint8Array | string) => writeFile(join(building, name), data, { mode: 0o600 });
      await Promise.all([
        put(sourceFile, form.source),
        put('manifest.json', JSON.stringify(manifest)),
        ...form.modules.map(({ name, bytes }) => put(name, bytes)),
      ]);
      await this.#publish(building, key);
    } catch (error) {
      throw ioError('cannot keep what was compiled in', this.#dir, error);
    } finally {
      await rm(building, { recursive: true, force: true });
    }
  }

  /** V8's code cache for `key`, if one was kept and is undamaged. */
  async readCodeCache(key: string): Promise<Uint8Array | undefined> {
    try {
      const file = await readPlain(this.#path(key, codeCacheFile));
      const data = file.subarray(digestBytes);
      return sha256(key, data) === file.subarray(0, digestBytes).toString('hex') ? data : undefined;
    } catch {
      return undefined;
    }
  }

  async writeCodeCache(key: string, data: Uint8Array): Promise<void> {
    const building = join(this.#dir, temporaryName());
    const digest = Buffer.from(sha256(key, data), 'hex');
    try {
      await writeFile(building, Buffer.concat([digest, data]), { mode: 0o600 });
      await rename(building, this.#path(key, codeCacheFile));
    } finally {
      await rm(building, { force: true });
    }
  }

  async #publish(building: string, key: string): Promise<void> {
    const target = join(this.#dir, key);
    for (let attempt = 0; attempt < 3; attempt += 1) {
      try {
        await rename(building, target);
        return;
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException;
        if (code !== 'EEXIST' && code !== 'ENOTEMPTY' && code !== 'ENOTDIR') throw error;
      }
      if ((await this.read(key)) !== undefined) return;
      // A damaged entry is in the way. Moving it aside is atomic too, so readers see it or nothing.
      const aside = join(this.#dir, temporaryName());
      await rename(target, aside).catch(() => {});
      // One that cannot be removed is out of the way all the same.
      await rm(aside, { recursive: true, force: true }).catch(() => {});
    }
  }

  #open(): Promise<void> {
    this.#opened ??= openPrivateDir(this.#dir).then(() => this.#sweep());
    return this.#opened;
  }

  /** Removes what killed builds left behind. */
  async #sweep(): Promise<void> {
    for (const name of (await readdir(this.#dir)).filter(isLeftOver)) {
      // Another host may be removing it too; what stays is tried again by the next one.
      await rm(join(this.#dir, name), { recursive: true, force: true }).catch(() => undefined);
    }
  }

  #path(key: string, name: string): string {
    return join(this.#dir, key, name);
  }
}

function digestOf(key: string, body: ManifestBody): string {
  return sha256(key, JSON.stringify(body));
}

/** The bytes of a regular file. Rejects for a link, and for a FIFO or device without waiting for it. */
async function readPlain(path: string): Promise<Buffer> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    if (!(await file.stat()).isFile()) throw new Error('not a regular file');
    return await file.readFile();
  } finally {
    await file.close();
  }
}

/**
 * Creates `dir` 0700, or makes an existing one private. Refuses a link or a folder of another user, and empties a folder others
 * could write to: what it holds would be run.
 */
async function openPrivateDir(dir: string): Promise<void> {
  try {
    await mkdir(dir, { recursive: true, mode: 0o700 });
  } catch (error) {
    // A file of that name is told below.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST')
      throw ioError('cannot make the component cache', dir, error);
  }
  const stat = await lstat(dir);
  const uid = process.getuid?.();
  if (!stat.isDirectory() || (uid !== undefined && stat.uid !== uid)) {
    throw new MurError(
      'E-IO-002',
      `the component cache ${dir} is not a folder of this user, and what it holds is executed`,
      {
        hint: 'remove it, or choose another cache folder',
      },
    );
  }
  if ((stat.mode & 0o077) !== 0) await chmod(dir, 0o700);
  if ((stat.mode & 0o022) === 0) return;
  for (const name of await readdir(dir)) await rm(join(dir, name), { recursive: true, force: true });
}
