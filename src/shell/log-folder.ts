import { constants } from 'node:fs';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { errnoOf } from '../home/failure.js';
import type { HeldDirectory } from '../home/index.js';
import { hostAnchor } from '../home/walk.js';

/** A log file that is being written. */
export interface OpenLog {
  /** Absolute, below the records directory: what a command can open. */
  readonly path: string;
  readonly file: FileHandle;
}

/**
 * `logs/` of a session's records directory, as far as commands write there. Files are made, never opened: no log replaces another,
 * and no link is followed. Close it with the session.
 */
export class LogFolder {
  readonly #folder: HeldDirectory;
  #spools = 0;

  constructor(records: HeldDirectory) {
    this.#folder = records.hold('logs', { mode: 0o700 });
  }

  /** A new `<stem>.log`; when that is taken `<stem>-2.log`, `<stem>-3.log`, … */
  async create(stem: string): Promise<OpenLog> {
    for (let serial = 1; ; serial += 1) {
      const name = serial === 1 ? `${stem}.log` : `${stem}-${serial}.log`;
      try {
        return { path: join(this.#folder.path, name), file: await this.#make(name) };
      } catch (error) {
        if (errnoOf(error) !== 'EEXIST') throw error;
      }
    }
  }

  /** A file without a name: gone once it is closed, or when this process dies. */
  async spool(): Promise<FileHandle> {
    for (;;) {
      this.#spools += 1;
      const name = `.spool-${process.pid}-${this.#spools}`;
      try {
        const file = await this.#make(name);
        await unlink(this.#at(name));
        return file;
      } catch (error) {
        if (errnoOf(error) !== 'EEXIST') throw error;
      }
    }
  }

  close(): void {
    this.#folder.close();
  }

  #make(name: string): Promise<FileHandle> {
    const { O_RDWR, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
    return open(this.#at(name), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  }

  #at(name: string): string {
    return hostAnchor === 'descriptor' ? `/proc/self/fd/${this.#folder.fd}/${name}` : join(this.#folder.path, name);
  }
}
