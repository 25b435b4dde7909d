import { openSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { CgroupFiles } from '../../src/resources/cgroup/files.js';
import type { CgroupHost } from '../../src/resources/index.js';

export interface FakeOptions {
  /** Of the group this process is in. */
  readonly controllers?: string;
  readonly ownGroup?: string;
  readonly mounts?: string;
  /** errno names by the file they are the answer to. */
  readonly failing?: Readonly<Record<string, string>>;
  readonly hasSwap?: boolean;
  readonly disk?: string;
}

const pid = 4242;
const mount = '/sys/fs/cgroup';

/**
 * A delegated cgroup v2 tree in memory, with the rules of the kernel that matter here: a group's files appear with it, those of
 * a controller only when the parent handed it down, a group that holds a process hands nothing down and is not removed. The real
 * one is used where a machine has it (real-cgroups.test.ts).
 */
export class FakeCgroups {
  readonly files: CgroupFiles;
  readonly groups = new Map<string, Map<string, string>>();
  /** Every write, `path=text`, below the mount. */
  readonly writes: string[] = [];
  /** Group of this process. */
  own: string;
  readonly #options: FakeOptions;

  constructor(options: FakeOptions = {}) {
    this.#options = options;
    this.own = join(mount, options.ownGroup ?? '/user.slice/app.scope');
    this.groups.set(this.own, this.#filesOf(options.controllers ?? 'cpuset cpu io memory pids'));
    this.files = {
      read: async (path) => this.#read(path),
      write: async (path, text) => this.#write(path, text),
      mkdir: async (path) => this.#mkdir(path),
      rmdir: async (path) => this.#rmdir(path),
      openProcs: (path) => {
        this.#fail(path);
        return openSync('/dev/null', 'w');
      },
      device: async () => 8 * 256 + 1,
      diskOf: async () => options.disk,
    };
  }

  get host(): CgroupHost {
    return {
      files: this.files,
      clock: { sleep: async () => {}, monotonic: () => performance.now() },
      pid,
      env: {},
      run: () => Promise.reject(new Error('no bus')),
    };
  }

  text(group: string, file: string): string | undefined {
    return this.groups.get(group)?.get(file);
  }

  set(group: string, file: string, text: string): void {
    this.groups.get(group)!.set(file, text);
  }

  #filesOf(controllers: string): Map<string, string> {
    const names = controllers.split(' ');
    const has = (name: string, files: readonly string[]) => (names.includes(name) ? files : []);
    return new Map([
      ['cgroup.controllers', controllers],
      ['cgroup.subtree_control', ''],
      ['cgroup.procs', ''],
      ['cgroup.kill', ''],
      ...[
        ...has('memory', [
          'memory.max',
          'memory.events',
          ...(this.#options.hasSwap === false ? [] : ['memory.swap.max']),
        ]),
        ...has('pids', ['pids.max', 'pids.events']),
        ...has('cpu', ['cpu.max']),
        ...has('io', ['io.max']),
      ].map((name) => [name, ''] as const),
    ]);
  }

  #read(path: string): string {
    if (path === '/proc/self/cgroup') {
      return this.#options.ownGroup === undefined || this.#options.ownGroup !== ''
        ? `1:name=systemd:/\n0::${this.own.slice(mount.length)}\n`
        : '4:memory:/\n';
    }
    if (path === '/proc/mounts') return this.#options.mounts ?? `cgroup2 ${mount} cgroup2 rw 0 0\n`;
    const text = this.groups.get(dirname(path))?.get(basename(path));
    if (text === undefined) throw errno('ENOENT');
    return text;
  }

  #write(path: string, text: string): void {
    this.#fail(path);
    const [group, file] = [this.groups.get(dirname(path)), basename(path)];
    if (group?.has(file) !== true) throw errno('ENOENT');
    if (file === 'cgroup.subtree_control') {
      if (this.own === dirname(path)) throw errno('EBUSY');
      const given = new Set(group.get(file)!.split(' ').filter(Boolean));
      for (const name of text.split(' ')) given.add(name.slice(1));
      group.set(file, [...given].join(' '));
    } else if (file === 'cgroup.procs') {
      this.own = dirname(path);
    } else {
      group.set(file, text);
    }
    this.writes.push(`${basename(dirname(path))}/${file}=${text}`);
  }

  #mkdir(path: string): void {
    this.#fail(path);
    const parent = this.groups.get(dirname(path));
    if (parent === undefined) throw errno('ENOENT');
    if (this.groups.has(path)) throw errno('EEXIST');
    this.groups.set(path, this.#filesOf(parent.get('cgroup.subtree_control')!));
  }

  #rmdir(path: string): void {
    this.#fail(`rmdir ${path}`);
    if (this.own === path) throw errno('EBUSY');
    if (!this.groups.delete(path)) throw errno('ENOENT');
  }

  #fail(path: string): void {
    const name = Object.entries(this.#options.failing ?? {}).find(([part]) => path.includes(part))?.[1];
    if (name !== undefined) throw errno(name);
  }
}

function errno(code: string): NodeJS.ErrnoException {
  return Object.assign(new Error(code), { code });
}
