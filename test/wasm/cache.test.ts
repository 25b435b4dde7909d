import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import {
  chmod,
  cp,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { temporaryName } from '../../src/home/index.js';
import { build, guests } from '../fixtures/component/guests.js';
import { openHost, resultOf } from './host.js';

let dir: string;
let cacheDir: string;
/** A folder that holds the echo guest and nothing else, for the tests of what comes after. */
let filled: string;
let key: string;
beforeAll(async () => {
  filled = await mkdtemp(join(tmpdir(), 'mur-cache-'));
  cacheDir = filled;
  ({ key } = await loadOnce());
});
afterAll(async () => {
  await rm(filled, { recursive: true, force: true });
});
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'mur-cache-'));
  cacheDir = join(dir, 'cache');
});
afterEach(async () => {
  await rm(dir, { recursive: true, force: true });
});

/** Makes the cache folder with the echo guest in it, as a host that compiled it leaves it. */
async function fill(): Promise<void> {
  await cp(filled, cacheDir, { recursive: true });
}

/** Loads the echo guest in a new host over the same folder; what happened, and the answer of one call. */
async function loadOnce() {
  await using host = await openHost({ cacheDir });
  const states: string[] = [];
  const component = await host.wasm.load('echo', await build(guests.echo), ({ state }) => states.push(state));
  const result = resultOf(await host.call(component, { data: 'hello' }));
  return { states, key: component.key, data: result?.data };
}

describe('cache', () => {
  it('compiles a component once and then finds it', async () => {
    expect((await loadOnce()).states).toEqual(['compiling', 'compiled']);
    expect(await loadOnce()).toMatchObject({ states: ['cached'], data: 'hello' });
  });

  it('keeps everything private to the user', async () => {
    expect((await stat(filled)).mode & 0o777).toBe(0o700);
    expect((await stat(join(filled, key))).mode & 0o777).toBe(0o700);
    for (const name of await readdir(join(filled, key))) {
      expect((await stat(join(filled, key, name))).mode & 0o777, name).toBe(0o600);
    }
  });

  it('makes an existing folder private', async () => {
    await fill();
    await chmod(cacheDir, 0o755);
    expect((await loadOnce()).states).toEqual(['cached']);
    expect((await stat(cacheDir)).mode & 0o777).toBe(0o700);
  });

  it('refuses a link in the place of the folder', async () => {
    await mkdir(join(dir, 'elsewhere'));
    await symlink(join(dir, 'elsewhere'), cacheDir);
    await expect(loadOnce()).rejects.toThrow('is not a folder of this user');
  });

  it('refuses a file in the place of the folder', async () => {
    await writeFile(cacheDir, '');
    await expect(loadOnce()).rejects.toMatchObject({ code: 'E-IO-002' });
  });

  it('runs nothing from a folder that others could write to', async () => {
    await fill();
    await chmod(cacheDir, 0o777);
    expect((await loadOnce()).states).toEqual(['compiling', 'compiled']);
    expect((await stat(cacheDir)).mode & 0o777).toBe(0o700);
  });

  it('records the interfaces with their versions and leaves no build folder behind', async () => {
    const { body } = JSON.parse(await readFile(join(filled, key, 'manifest.json'), 'utf8'));
    expect(body.interfaces.exports).toEqual(['murmur:tool/run@0.1.0']);
    expect(await readdir(filled)).toEqual([key]);
  });

  it.each(['c.vm.js', 'c.core.wasm', 'manifest.json'])(
    'builds again when %s is damaged, and never runs it',
    async (name) => {
      await fill();
      const file = join(cacheDir, key, name);
      const bytes = await readFile(file);
      bytes[Math.floor(bytes.length / 2)]! ^= 0x20;
      await writeFile(file, bytes);
      expect(await loadOnce()).toMatchObject({ states: ['compiling', 'compiled'], data: 'hello' });
      expect(await loadOnce()).toMatchObject({ states: ['cached'], data: 'hello' });
    },
  );

  it('notices code that was put in together with a matching file digest but not the manifest digest', async () => {
    await fill();
    const file = join(cacheDir, key, 'manifest.json');
    const manifest = JSON.parse(await readFile(file, 'utf8'));
    manifest.body.modules[0].meta.memoryPages = [0];
    await writeFile(file, JSON.stringify(manifest));
    expect((await loadOnce()).states).toEqual(['compiling', 'compiled']);
  });

  it('never runs the entry of one component for another', async () => {
    const spin = await (async () => {
      await using host = await openHost({ cacheDir });
      return (await host.load('spin')).key;
    })();
    await rename(join(cacheDir, spin), join(cacheDir, key));
    expect(await loadOnce()).toMatchObject({ states: ['compiling', 'compiled'], data: 'hello' });
  });

  it('never follows a link in the place of an entry', async () => {
    await fill();
    await rename(join(cacheDir, key), join(dir, 'elsewhere'));
    await symlink(join(dir, 'elsewhere'), join(cacheDir, key));
    expect(await loadOnce()).toMatchObject({ states: ['compiling', 'compiled'], data: 'hello' });
    expect((await lstat(join(cacheDir, key))).isDirectory()).toBe(true);
  });

  it.each(['manifest.json', 'c.vm.js', 'c.core.wasm'])(
    'builds again, and never waits, when %s is a FIFO or leads to a device',
    async (name) => {
      await fill();
      const file = join(cacheDir, key, name);
      await rm(file);
      execFileSync('mkfifo', [file]);
      expect((await loadOnce()).states).toEqual(['compiling', 'compiled']);
      await rm(file);
      await symlink('/dev/zero', file);
      expect((await loadOnce()).states).toEqual(['compiling', 'compiled']);
    },
  );

  it('builds again when a file is missing', async () => {
    await fill();
    await rm(join(cacheDir, key, 'c.core.wasm'));
    expect(await loadOnce()).toMatchObject({ states: ['compiling', 'compiled'], data: 'hello' });
  });

  it('removes what killed builds left, however young, and nothing of a living process, however old', async () => {
    await fill();
    const ours = temporaryName();
    const [dead, file] = ['aa', 'bb'].map((end) => `.mur-4194999-1-${end.repeat(8)}.tmp`);
    for (const name of [ours, dead!]) await mkdir(join(cacheDir, name));
    await writeFile(join(cacheDir, file!), 'half a code cache');
    const longAgo = new Date(Date.now() - 2 * 60 * 60 * 1000);
    await utimes(join(cacheDir, ours), longAgo, longAgo);
    await loadOnce();
    expect((await readdir(cacheDir)).sort()).toEqual([key, ours].sort());
  });

  it('compiles once for callers that come together', async () => {
    await using host = await openHost({ cacheDir });
    const bytes = await build(guests.echo);
    const states: string[] = [];
    const load = () => host.wasm.load('echo', bytes, ({ state }) => states.push(state));
    const [one, two] = await Promise.all([load(), load()]);
    expect(one).toBe(two);
    expect(states).toEqual(['compiling', 'compiled']);
  });

  it('is built by several processes at once without harm', { timeout: 60_000 }, async () => {
    const wasm = join(dir, 'echo.wasm');
    await writeFile(wasm, await build(guests.echo));
    const index = new URL('../../dist/src/wasm/index.js', import.meta.url).href;
    const code = `
      import { readFileSync } from 'node:fs';
      const { createWasmHost } = await import(${JSON.stringify(index)});
      const host = createWasmHost({ cacheDir: ${JSON.stringify(cacheDir)}, permits: 1 });
      const component = await host.load('echo', readFileSync(${JSON.stringify(wasm)}));
      const outcome = await host.call({ component, kind: 'tool', name: 'echo', input: { data: 'hello' }, depth: 0,
        limits: { memoryBytes: 1 << 26, tableElements: 1000, instances: 100, deadlineMs: 20000 }, env: [], preopens: [],
        egress: { handle: async () => ({}), close() {} }, host: {} });
      console.log(outcome.result.data);`;
    const run = async () => {
      const child = spawn(process.execPath, ['--input-type=module', '-e', code], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      let text = '';
      child.stdout.on('data', (chunk) => {
        text += chunk;
      });
      // The host is not closed: a process that has nothing more to do must end by itself.
      const [exit] = await once(child, 'close');
      return [exit, text];
    };
    expect(await Promise.all([run(), run(), run()])).toEqual(Array(3).fill([0, 'hello\n']));
    expect(await readdir(cacheDir)).toHaveLength(1);
    expect(await loadOnce()).toMatchObject({ states: ['cached'], data: 'hello' });
  });
});

describe('V8 code cache', () => {
  /** Calls the echo guest `times` and returns the names in its cache folder. */
  async function use(times: number) {
    if (!existsSync(cacheDir)) await fill();
    await using host = await openHost({ cacheDir, permits: 1 });
    const component = await host.load('echo');
    for (let call = 0; call < times; call += 1)
      expect(resultOf(await host.call(component, { data: 'x' }))?.data).toBe('x');
    await host.wasm.close();
    return (await readdir(join(cacheDir, component.key))).map((name) => join(cacheDir, component.key, name));
  }
  const codeCacheOf = (files: string[]) => files.find((file) => file.includes('c.vm.cache-'));

  it('is written after the second use, when it holds what calls need', async () => {
    expect(codeCacheOf(await use(1))).toBeUndefined();
    const file = codeCacheOf(await use(2));
    expect((await stat(file!)).size).toBeGreaterThan(50_000);
  });

  it('is ignored and replaced when it is damaged', async () => {
    const file = codeCacheOf(await use(2))!;
    const bytes = await readFile(file);
    bytes[bytes.length - 5]! ^= 0xff;
    await writeFile(file, bytes);
    await use(2);
    expect((await readFile(file)).equals(bytes)).toBe(false);
  });
});
