/**
 * Runs the real `mur` in its own process, with its own home folder. Compiled components are carried from test to test
 * (compiled.ts), because compiling is slow.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { expectFaithful } from '../replay/faithful.js';
import { keepCompiled, lendCompiled } from './compiled.js';

const main = resolve(import.meta.dirname, '../../dist/src/bin/mur.js');

export interface Ran {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Started {
  readonly child: ChildProcess;
  /** What it printed so far. */
  stdout(): string;
  /** Resolves with the rest of that line once stdout holds a line starting with `prefix`. */
  line(prefix: string): Promise<string>;
  /** Resolves once `condition` holds; rejects when the process ended before. */
  seen(condition: () => boolean): Promise<void>;
  readonly ended: Promise<Ran>;
}

/** A folder with a home and a project, removed by `remove`. */
export class Sandbox {
  readonly root: string;
  readonly home: string;
  readonly project: string;
  /** Put before every `mur`: what makes this host another one. */
  before: readonly string[] = [];
  readonly #compiled: string;
  readonly #excuses = new Map<string, string>();
  readonly #running = new Set<ChildProcess>();

  /** In `place`, which is made: below the temporary folder of the machine, a private /tmp of a box would hide it. */
  constructor(place: string = tmpdir()) {
    mkdirSync(place, { recursive: true });
    this.root = realpathSync(mkdtempSync(join(place, 'mur-e2e-')));
    this.home = join(this.root, 'home');
    this.project = join(this.root, 'project');
    this.#compiled = join(this.home, '.murmur', 'compiled');
    mkdirSync(join(this.home, '.murmur'), { recursive: true, mode: 0o700 });
    mkdirSync(this.project);
    lendCompiled(this.#compiled);
  }

  write(rel: string, text: string | Uint8Array): string {
    const path = join(this.root, rel);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    return path;
  }

  manifest(text: string): string {
    return this.write('project/murmur.yaml', text);
  }

  copy(from: string, rel: string): void {
    cpSync(from, join(this.root, rel), { recursive: true });
  }

  start(args: readonly string[], env: Readonly<Record<string, string>> = {}, input?: string): Started {
    const [file, ...rest] = [...this.before, process.execPath, main, ...args];
    const child = spawn(file!, rest, {
      cwd: this.project,
      env: { PATH: process.env.PATH ?? '', HOME: this.home, MURMUR_A2A_TIMEOUT_SECS: '20', ...env },
      stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    });
    child.stdin?.end(input);
    this.#running.add(child);
    child.once('close', () => this.#running.delete(child));
    let stdout = '';
    let stderr = '';
    const waiting: { prefix: string; found: (rest: string) => void; failed: (error: Error) => void }[] = [];
    child.stdout!.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
      settle();
    });
    child.stderr!.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    const settle = (): void => {
      for (const waiter of [...waiting]) {
        const line = stdout
          .split('\n')
          .slice(0, -1)
          .find((one) => one.startsWith(waiter.prefix));
        if (line === undefined) continue;
        waiting.splice(waiting.indexOf(waiter), 1);
        waiter.found(line.slice(waiter.prefix.length));
      }
    };
    const ended = once(child, 'close').then(([code, signal]): Ran => {
      for (const { prefix, failed } of waiting)
        failed(new Error(`ended without a line '${prefix}': ${stdout}${stderr}`));
      return { code: code as number | null, signal: signal as NodeJS.Signals | null, stdout, stderr };
    });
    return {
      child,
      ended,
      stdout: () => stdout,
      seen: async (condition) => {
        let over = false;
        void ended.then(() => {
          over = true;
        });
        while (!condition()) {
          if (over) throw new Error(`ended before the condition held: ${stdout}${stderr}`);
          await new Promise((done) => setTimeout(done, 2));
        }
      },
      line: (prefix) =>
        new Promise((found, failed) => {
          waiting.push({ prefix, found, failed });
          settle();
        }),
    };
  }

  run(args: readonly string[], env?: Readonly<Record<string, string>>, input?: string): Promise<Ran> {
    return this.start(args, env, input).ended;
  }

  /** `mur install`, without the lines that name a step which takes over a second: whether one does is the machine's mood. */
  async install(args: readonly string[], env?: Readonly<Record<string, string>>): Promise<Ran> {
    const ran = await this.run(['install', ...args], env);
    return { ...ran, stderr: ran.stderr.replaceAll(/^(?:looking up|fetching|compiling) .*\n/gm, '') };
  }

  /** The records directories of every session, oldest first. */
  records(): string[] {
    const found: string[] = [];
    const walk = (folder: string): void => {
      for (const entry of readdirSync(folder, { withFileTypes: true })) {
        if (!entry.isDirectory()) continue;
        if (entry.name.startsWith('ses_')) found.push(join(folder, entry.name));
        else walk(join(folder, entry.name));
      }
    };
    const root = join(this.home, '.murmur', 'records');
    if (existsSync(root)) walk(root);
    return found.sort();
  }

  /** The trace lines of the newest session. */
  trace(): Record<string, unknown>[] {
    const path = join(this.records().at(-1) ?? '', 'trace.jsonl');
    const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
    // The last line may be on its way, or be all that a killed process could write of it.
    return text
      .split('\n')
      .slice(0, -1)
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  }

  /** Every file below `rel` whose bytes hold `needle`. Links are not followed. */
  filesWith(needle: string): string[] {
    const found: string[] = [];
    const walk = (folder: string): void => {
      for (const entry of readdirSync(folder, { withFileTypes: true })) {
        const path = join(folder, entry.name);
        if (entry.isDirectory()) walk(path);
        else if (entry.isFile() && statSync(path).size < 64 * 1024 * 1024 && readFileSync(path).includes(needle))
          found.push(path);
      }
    };
    walk(this.root);
    return found;
  }

  /** What lies below `rel` was changed on purpose: it is no session any more, and need not replay. */
  excuse(rel: string, reason: string): void {
    this.#excuses.set(join(this.root, rel), reason);
  }

  /** Replays every session of this test: each must lead where it led. Then keeps what was compiled and removes the folder. */
  remove(): void {
    try {
      expectFaithful(this.root, this.#excuses);
    } finally {
      this.#remove();
    }
  }

  #remove(): void {
    // A test that failed half way leaves its sessions to nobody.
    for (const child of this.#running) child.kill('SIGKILL');
    keepCompiled(this.#compiled);
    rmSync(this.root, { recursive: true, force: true });
  }
}

/** A manifest of the rehearsal driver that plays `turns` with the files tool. */
export function rehearsal(turns: readonly unknown[], more: Readonly<Record<string, unknown>> = {}): string {
  const { config, ...rest } = more as { config?: object };
  return JSON.stringify({
    name: 'sample',
    version: '0.1.0',
    artifacts: [
      { name: 'mur-driver-rehearsal', version: '0.1.0', runtime: 'driver' },
      { name: 'mur-tool-files', version: '0.1.0' },
    ],
    inference: { model: 'rehearsal', driver: { artifact: 'mur-driver-rehearsal', config: { turns, ...config } } },
    ...rest,
  });
}
