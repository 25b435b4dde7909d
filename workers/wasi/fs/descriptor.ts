import {
  type BigIntStats,
  fdatasyncSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  futimesSync,
  lstatSync,
  readSync,
} from 'node:fs';
import type { Poller } from '../io/poll.js';
import { InputStream, OutputStream, streamChunkBytes } from '../io/streams.js';
import { DirectoryEntryStream } from './directory.js';
import { asResult, fail } from './errors.js';
import { type Held, type Hold, SharedFile } from './held.js';
import { type DescriptorFlags, type OpenFlags, openUnder } from './open.js';
import * as paths from './paths.js';
import {
  type DescriptorStat,
  type DescriptorType,
  descriptorStat,
  metadataHash,
  type NewTimestamp,
  secondsOf,
} from './stat.js';
import { appendSink, fileSink, fileSource, writeAt } from './streams.js';
import type { Dir, Tree } from './tree.js';

/** `wasi:filesystem/types#path-flags`; a missing member is false. */
export interface PathFlags {
  readonly symlinkFollow?: boolean;
}

/** What every descriptor of one call shares. */
export interface FsContext {
  readonly tree: Tree;
  readonly held: Held;
  readonly poller: Poller;
}

/** What a descriptor may do. Nothing opened through it may do more. */
export interface Rights {
  readonly read: boolean;
  readonly write: boolean;
  /** Directories: create, write, rename and remove below. Files: change times. */
  readonly mutate: boolean;
  /** The preopen is read-only; only changes which code a refusal carries. */
  readonly readOnly: boolean;
}

export type Node =
  | { readonly kind: 'directory'; readonly dir: Dir; readonly hold?: Hold }
  | { readonly kind: 'file'; readonly file: SharedFile };

/**
 * `wasi:filesystem/types#descriptor`. Failures are thrown as bare error codes.
 *
 * Every change needs the `mutate` right, which a read-only preopen never has and a directory opened without `mutate-directory` or
 * `write` does not pass on. Hard links and renames need it at both ends.
 */
export class Descriptor {
  readonly #context: FsContext;
  readonly #node: Node;
  readonly #rights: Rights;

  constructor(context: FsContext, node: Node, rights: Rights) {
    this.#context = context;
    this.#node = node;
    this.#rights = rights;
  }

  readViaStream(offset: bigint): InputStream {
    return asResult(() => new InputStream(this.#context.poller, fileSource(this.#readable(), offset)));
  }

  writeViaStream(offset: bigint): OutputStream {
    return asResult(() => new OutputStream(this.#context.poller, fileSink(this.#writable(), offset)));
  }

  appendViaStream(): OutputStream {
    const { tree, held, poller } = this.#context;
    return asResult(() => new OutputStream(poller, appendSink(tree, held, this.#writable())));
  }

  /** Advice is taken and not used: Node has no call for it. */
  advise(_offset: bigint, _length: bigint, _advice: string): void {
    asResult(() => this.#file());
  }

  syncData(): void {
    asResult(() => {
      if (this.#node.kind === 'file') fdatasyncSync(this.#node.file.fd);
    });
  }

  sync(): void {
    asResult(() => {
      if (this.#node.kind === 'file') fsyncSync(this.#node.file.fd);
    });
  }

  getFlags(): DescriptorFlags {
    const { read, write, mutate } = this.#rights;
    return { read, write, mutateDirectory: mutate && this.#node.kind === 'directory' };
  }

  getType(): DescriptorType {
    return this.#node.kind === 'file' ? 'regular-file' : 'directory';
  }

  setSize(size: bigint): void {
    asResult(() => {
      if (size > BigInt(Number.MAX_SAFE_INTEGER)) fail('file-too-large');
      ftruncateSync(this.#writable().fd, Number(size));
    });
  }

  setTimes(access: NewTimestamp, modification: NewTimestamp): void {
    asResult(() => {
      this.#requireMutate();
      if (this.#node.kind === 'directory') {
        paths.setTimesUnder(this.#context.tree, this.#node.dir, '.', false, access, modification);
        return;
      }
      const stat = this.#stat();
      futimesSync(this.#node.file.fd, secondsOf(access, stat.atimeNs), secondsOf(modification, stat.mtimeNs));
    });
  }

  read(length: bigint, offset: bigint): [Uint8Array, boolean] {
    return asResult(() => {
      const wanted = length > BigInt(streamChunkBytes) ? streamChunkBytes : Number(length);
      const buffer = new Uint8Array(wanted);
      const count = readSync(this.#readable().fd, buffer, 0, wanted, offset);
      return [buffer.subarray(0, count), count < wanted];
    });
  }

  write(bytes: Uint8Array, offset: bigint): bigint {
    return asResult(() => {
      writeAt(this.#writable().fd, bytes, offset);
      return BigInt(bytes.length);
    });
  }

  readDirectory(): DirectoryEntryStream {
    return asResult(() => new DirectoryEntryStream(this.#context.held, this.#directory()));
  }

  stat(): DescriptorStat {
    return asResult(() => descriptorStat(this.#stat()));
  }

  statAt(flags: PathFlags, path: string): DescriptorStat {
    return asResult(() => descriptorStat(this.#statAt(flags, path)));
  }

  setTimesAt(flags: PathFlags, path: string, access: NewTimestamp, modification: NewTimestamp): void {
    asResult(() => {
      const follow = flags.symlinkFollow === true;
      paths.setTimesUnder(this.#context.tree, this.#mutable(), path, follow, access, modification);
    });
  }

  createDirectoryAt(path: string): void {
    asResult(() => paths.createDirectoryUnder(this.#context.tree, this.#mutable(), path));
  }

  removeDirectoryAt(path: string): void {
    asResult(() => paths.removeDirectoryUnder(this.#context.tree, this.#mutable(), path));
  }

  unlinkFileAt(path: string): void {
    asResult(() => paths.unlinkUnder(this.#context.tree, this.#mutable(), path));
  }

  renameAt(oldPath: string, to: Descriptor, newPath: string): void {
    asResult(() => paths.renameUnder(this.#context.tree, this.#mutable(), oldPath, to.#mutable(), newPath));
  }

  linkAt(flags: PathFlags, oldPath: string, to: Descriptor, newPath: string): void {
    asResult(() => {
      // Following here would act on a name that was checked before it was used.
      if (flags.symlinkFollow === true) fail('invalid');
      paths.linkUnder(this.#context.tree, this.#mutable(), oldPath, to.#mutable(), newPath);
    });
  }

  symlinkAt(target: string, path: string): void {
    asResult(() => paths.symlinkUnder(this.#context.tree, this.#mutable(), target, path));
  }

  readlinkAt(path: string): string {
    return asResult(() => paths.readlinkUnder(this.#context.tree, this.#directory(), path));
  }

  openAt(pathFlags: PathFlags, path: string, open: OpenFlags, flags: DescriptorFlags): Descriptor {
    return asResult(() => {
      const dir = this.#directory();
      if (flags.write === true || open.create === true || open.truncate === true) this.#requireMutate();
      const { tree, held } = this.#context;
      const found = openUnder(tree, dir, { path, followLeaf: pathFlags.symlinkFollow === true, open, flags });
      const given =
        found.guard?.isProtected === true ? { ...this.#rights, mutate: false, readOnly: true } : this.#rights;
      if (found.kind === 'file') {
        const rights = { ...given, read: flags.read === true, write: flags.write === true };
        return new Descriptor(this.#context, { kind: 'file', file: new SharedFile(held, found.fd) }, rights);
      }
      const mutate = given.mutate && flags.mutateDirectory === true;
      const hold = held.add(() => found.dir.close());
      const opened = found.guard === undefined ? found.dir : { ...found.dir, guard: found.guard };
      return new Descriptor(
        this.#context,
        { kind: 'directory', dir: opened, hold },
        { ...given, write: false, mutate },
      );
    });
  }

  isSameObject(other: Descriptor): boolean {
    const [mine, theirs] = [this.#stat(), other.#stat()];
    return mine.dev === theirs.dev && mine.ino === theirs.ino;
  }

  metadataHash(): { lower: bigint; upper: bigint } {
    return asResult(() => metadataHash(this.#stat()));
  }

  metadataHashAt(flags: PathFlags, path: string): { lower: bigint; upper: bigint } {
    return asResult(() => metadataHash(this.#statAt(flags, path)));
  }

  [Symbol.dispose](): void {
    if (this.#node.kind === 'file') this.#node.file.release();
    else this.#node.hold?.release();
  }

  #file(): SharedFile {
    return this.#node.kind === 'file' ? this.#node.file : fail('bad-descriptor');
  }

  #readable(): SharedFile {
    if (this.#node.kind === 'directory') return fail('is-directory');
    return this.#rights.read ? this.#node.file : fail('bad-descriptor');
  }

  #writable(): SharedFile {
    if (this.#node.kind === 'directory') return fail('is-directory');
    return this.#rights.write ? this.#node.file : fail('bad-descriptor');
  }

  #directory(): Dir {
    return this.#node.kind === 'directory' ? this.#node.dir : fail('not-directory');
  }

  #mutable(): Dir {
    const dir = this.#directory();
    this.#requireMutate();
    return dir;
  }

  #requireMutate(): void {
    if (!this.#rights.mutate) fail(this.#rights.readOnly ? 'read-only' : 'not-permitted');
  }

  #stat(): BigIntStats {
    const node = this.#node;
    return node.kind === 'file'
      ? fstatSync(node.file.fd, { bigint: true })
      : lstatSync(`${node.dir.path}/.`, { bigint: true });
  }

  #statAt(flags: PathFlags, path: string): BigIntStats {
    return paths.statUnder(this.#context.tree, this.#directory(), path, flags.symlinkFollow === true);
  }
}
