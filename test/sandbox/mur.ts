import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { onTestFinished } from 'vitest';

const main = resolve('dist/src/bin/mur.js');

export interface Ran {
  readonly out: string;
  readonly err: string;
  readonly exitCode: number;
}

export interface Place {
  readonly home: string;
  readonly work: string;
  /** Starts `mur sandbox` with these words, in the work folder. */
  start(words: readonly string[], options?: StartOptions): ChildProcess;
  run(words: readonly string[], options?: StartOptions): Promise<Ran>;
  /** What is left of runs below the home. */
  left(): readonly string[];
}

export interface StartOptions {
  readonly wrapper?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
}

/** No version manager's stand-ins, which are scripts that read elsewhere. */
export const path = `/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin:${dirname(realpathSync(process.execPath))}`;

/** A home and a work folder, gone with the test. Not under /tmp, which a box replaces. */
export function place(): Place {
  const root = realpathSync(mkdtempSync('/var/tmp/mur-sandbox-'));
  const [home, work] = [join(root, 'home'), join(root, 'work')];
  for (const folder of [home, work]) mkdirSync(folder);
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const start: Place['start'] = (words, { wrapper = [], env = {}, stdin } = {}) => {
    const [file, ...args] = [...wrapper, process.execPath, main, 'sandbox', ...words];
    const environment = { PATH: path, HOME: home, SECRET_TOKEN: 'hush', ...env };
    // A pipe of Node is a socket, at which bash believes it was started by a remote shell and reads its files.
    const from = stdin === undefined ? 'ignore' : 'pipe';
    const child = spawn(file!, args, { cwd: work, env: environment, stdio: [from, 'pipe', 'pipe'] });
    child.stdin?.end(stdin);
    return child;
  };
  return {
    home,
    work,
    start,
    run: (words, options) => ended(start(words, options)),
    left: () => {
      try {
        return readdirSync(join(home, '.murmur/sandbox'));
      } catch {
        return [];
      }
    },
  };
}

export function ended(child: ChildProcess): Promise<Ran> {
  return new Promise((settle) => {
    let [out, err] = ['', ''];
    child.stdout!.on('data', (chunk) => {
      out += chunk;
    });
    child.stderr!.on('data', (chunk) => {
      err += chunk;
    });
    child.once('close', (code) => settle({ out, err, exitCode: code ?? -1 }));
  });
}

/** Resolves once the child has written `text` to stdout. */
export function says(child: ChildProcess, text: string): Promise<void> {
  return new Promise((settle) => {
    let all = '';
    child.stdout!.on('data', (chunk) => {
      all += chunk;
      if (all.includes(text)) settle();
    });
  });
}
