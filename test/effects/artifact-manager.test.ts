import { expect, test } from 'vitest';
import { manage } from '../../src/effects/artifact-manager.js';
import type { SessionWorld } from '../../src/effects/world.js';

const tool = { name: 'files', version: '1.2.0', role: 'tool', implementation: 'wasm', manifest: { tags: ['text'] } };

/** A session with one tool that is named like a program, and these programs. */
function asked(shellAllow: readonly string[]) {
  const draft = { resolved: [tool, { ...tool, name: 'driver', role: 'driver' }], request: { policy: { shellAllow } } };
  return manage({ draft } as unknown as SessionWorld);
}

test('lists what is installed, then each allowed program that is none of it', async () => {
  expect(await asked(['git', 'files', 'git', '/bin/sh', 'sh'])('list', [])).toEqual([
    { name: 'files', version: '1.2.0', runtime: 'wasm' },
    { name: 'git', version: '0.0.0', runtime: 'native' },
    { name: 'sh', version: '0.0.0', runtime: 'native' },
  ]);
  expect(await asked([])('list', [])).toHaveLength(1);
});

test('describes a program as the tool it is to a model, and nothing that is not allowed', async () => {
  const described = await asked(['git'])('describe', ['git']);
  expect(described).toMatchObject({
    name: 'git',
    version: '0.0.0',
    runtime: 'native',
    tags: [],
    outputSchema: undefined,
  });
  expect(described).toMatchObject({ description: expect.stringContaining('Runs git in the work folder') });
  const { inputSchema } = described as { readonly inputSchema: string };
  expect(JSON.parse(inputSchema)).toMatchObject({ required: ['command'] });
  await expect(asked(['git'])('describe', ['rm'])).rejects.toBe("artifact 'rm' is not installed");
  await expect(asked(['git'])('pull', ['rm', '1'])).rejects.toContain('not granted');
});
