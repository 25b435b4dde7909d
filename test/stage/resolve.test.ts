import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { describeArchive, hostPlatform, type LocalStore, localStore } from '../../src/artifacts/index.js';
import { nativeOf, type program } from '../artifacts/packed.js';
import { toolZip } from '../e2e/artifacts.js';
import { rehearsal } from '../e2e/cli.js';
import { type Left, Library } from '../effects/run.js';

let library: Library;
let project: LocalStore;
let global: LocalStore;
beforeAll(() => {
  library = new Library();
  project = localStore('project', join(library.sandbox.project, '.murmur', 'artifacts'));
  global = localStore('global', join(library.sandbox.home, '.murmur', 'artifacts'));
});
afterEach(() => {
  for (const { root } of [project, global]) rmSync(root, { recursive: true, force: true });
  rmSync(join(library.sandbox.project, 'murmur.lock'), { force: true });
});
afterAll(() => library.close());

const driver = { name: 'mur-driver-rehearsal', version: '0.1.0', runtime: 'driver' };
const host = hostPlatform() as keyof typeof program;

const run = (name: string): Promise<Left> =>
  library.run(
    rehearsal([{ call: { tool: name, input: { action: 'list' } } }, { say: 'Done.' }], {
      artifacts: [driver, { name, version: '1.0.0' }],
    }),
  );
const warned = ({ notices }: Left): string[] =>
  notices.flatMap((notice) => (notice.type === 'warning' ? [notice.code] : []));

test.each([
  ['the project', () => project],
  ['the user', () => global],
])('a tool in the store of %s is staged and called', async (_, store) => {
  await store().put(await describeArchive(await toolZip('stored-files', '1.0.0'), 'test archive'));
  const { result, lines } = await run('stored-files');
  expect(result.status).toBe('ok');
  expect(lines.filter((line) => line.event_type === 'tool_call')).toMatchObject([{ tool_name: 'stored-files' }]);
});

test('a native tool that was stored without a platform is told of; one that cannot start is an error of its call', async () => {
  const { platform: _, ...untagged } = await nativeOf(host, { name: 'native' });
  await project.put(untagged);
  const left = await run('native');
  expect(left.result.status).toBe('ok');
  expect(warned(left)).toContain('W-REG-001');
  const calls = left.lines.filter((line) => line.event_type === 'tool_call');
  expect(calls).toMatchObject([{ tool_name: 'native', status: 'error', error: expect.stringMatching(/exec/i) }]);
});

test('a native tool for another host is refused by both platforms, and nothing is compiled or written', async () => {
  const foreign = host === 'linux-x86_64' ? 'linux-aarch64' : 'linux-x86_64';
  const { platform: _, ...untagged } = await nativeOf(foreign, { name: 'native' });
  await project.put(untagged);
  const { result, notices } = await run('native');
  expect(result.error?.code).toBe('E-RUN-021');
  expect(result.error?.message).toContain(`built for ${foreign}, not for ${host}`);
  expect(notices.filter(({ type }) => type === 'component.compiling')).toEqual([]);
});

test('what no store has is named, with how to get it', async () => {
  const { result } = await run('nobody');
  expect(result.error).toMatchObject({
    code: 'E-RUN-008',
    message: 'missing artifacts: nobody@1.0.0',
    hint: expect.stringContaining('mur install nobody@1.0.0'),
  });
});

test('an archive that was tampered with is refused before any of it is used', async () => {
  const { path } = await project.put(await describeArchive(await toolZip('stored-files', '1.0.0'), 'test archive'));
  writeFileSync(path, await toolZip('stored-files', '1.0.0', 'tampered'));
  mkdirSync(join(library.sandbox.root, 'work'), { recursive: true });
  const { result } = await run('stored-files');
  expect(result.error?.code).toBe('E-REG-002');
});
