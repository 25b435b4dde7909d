import { expect, test } from 'vitest';
import { runProgram } from '../../src/cli/program.js';
import { jsonSchemaOf, schemaNames } from '../../src/reference/index.js';
import { memoryOutput } from './memory-stream.js';

async function mur(...argv: string[]) {
  const stdout = memoryOutput();
  const stderr = memoryOutput();
  const status = await runProgram(argv, { stdout: stdout.output, stderr: stderr.output, env: {} });
  return { status, stdout: stdout.text(), stderr: stderr.text() };
}

test.each(schemaNames)('mur schema %s prints one JSON document and nothing else', async (name) => {
  const { status, stdout, stderr } = await mur('schema', name);
  expect([status, stderr]).toEqual([0, '']);
  expect(JSON.parse(stdout)).toEqual(jsonSchemaOf(name));
});

test('mur schema means the manifest of a capsule, and --json is what it does anyway', async () => {
  expect((await mur('schema', '--json')).stdout).toBe((await mur('schema', 'capsule')).stdout);
});

test('a file that has no schema is a usage error that lists those that have one', async () => {
  const { status, stdout, stderr } = await mur('schema', 'roster');
  expect([status, stdout]).toEqual([2, '']);
  expect(stderr).toContain('Allowed choices are capsule, artifact, config, lock.');
});
