/** Stores of artifacts that outlive a session, as a tool that is a component sees its own (spec/manifest.md 4.3). */
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { compileSource } from '../../src/build/compile/index.js';
import { readFence } from '../../src/tools/index.js';
import { rehearsal, Sandbox } from './cli.js';

const source = `import { env, files } from 'mur:tool';
export function run() {
  const before = files.exists('state/deep/count') ? Number(files.readText('state/deep/count')) : 0;
  files.writeText('state/deep/count', String(before + 1));
  return [before, env('MURMUR_STATE_DIR') ?? null, files.list('state').length];
}
`;
const place = resolve('test-output', `state-${process.pid}`);
let component: Uint8Array;
let sandbox: Sandbox;
beforeAll(async () => {
  mkdirSync(place, { recursive: true });
  const file = join(place, 'main.ts');
  writeFileSync(file, source);
  ({ component } = await compileSource({ file, role: 'tool', isRaw: false, root: place }));
  sandbox = new Sandbox();
}, 180_000);
afterAll(() => {
  rmSync(place, { recursive: true, force: true });
  sandbox.remove();
});

test('each tool has the store of its entry under state/, in every session; without one the name is a folder like any other', async () => {
  const entry = (name: string, capabilities?: object) => {
    sandbox.write(`project/${name}/murmur.yaml`, `name: ${name}\nversion: "1.0.0"\nruntime: tool\n`);
    sandbox.write(`project/${name}/tool.wasm`, component);
    return { name, source: `./${name}`, local_source: true, ...(capabilities && { capabilities }) };
  };
  const names = ['own', 'shared', 'capsule', 'none'];
  const artifacts = [
    { name: 'mur-driver-rehearsal', version: '0.1.0', runtime: 'driver' },
    entry('own', { state: { store: 'ledger' } }),
    entry('shared', { state: { store: 'ledger' } }),
    entry('capsule', { state: {} }),
    entry('none'),
  ];
  const turns = [{ call: names.map((name) => ({ tool: name, input: {} })) }, { say: 'Done.' }];
  sandbox.manifest(rehearsal(turns, { artifacts, trace: { capture: 'content' } }));
  mkdirSync(join(sandbox.project, 'work'));
  const results = async () => {
    expect(await sandbox.run(['run', '--task', 'go', '--quiet', '--workdir', 'work'])).toMatchObject({ code: 0 });
    const calls = sandbox.trace().filter(({ event_type }) => event_type === 'tool_call');
    return calls.map(({ output }) => JSON.parse(readFence(String(output))!.text));
  };
  expect(await results()).toEqual([
    [0, 'state', 1],
    [1, 'state', 1],
    [0, 'state', 1],
    [0, null, 1],
  ]);
  expect((await results()).map(([before]) => before)).toEqual([2, 3, 1, 1]);
  const state = join(sandbox.home, '.murmur', 'state');
  expect(readFileSync(join(state, 'ledger/deep/count'), 'utf8')).toBe('4');
  expect(readFileSync(join(state, 'sample/deep/count'), 'utf8')).toBe('2');
  expect(statSync(join(state, 'ledger')).mode & 0o777).toBe(0o700);
  expect(existsSync(join(sandbox.project, 'work/state/deep/count'))).toBe(true);
});
