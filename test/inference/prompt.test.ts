import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type PromptReaders, resolvePrompt } from '../../src/inference/index.js';

const sha = (text: string) => createHash('sha256').update(text).digest('hex');
let folder: string;
let readers: PromptReaders;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'mur-prompt-'));
  writeFileSync(join(folder, 'prompt.md'), '  From a file\n');
  writeFileSync(join(folder, 'skill.md'), 'From a skill\n');
  readers = {
    readFile: (path) => readFile(join(folder, path), 'utf8'),
    readSkill: (name) => readFile(join(folder, `${name}.md`), 'utf8'),
  };
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('resolvePrompt (spec/drivers.md 5.1)', () => {
  test('inline text is trimmed', async () => {
    expect(await resolvePrompt({ kind: 'text', text: '  Be brief \n' }, readers)).toEqual({
      text: 'Be brief',
      source: 'manifest',
      sha256: sha('Be brief'),
    });
  });

  test('a file and an artifact are taken verbatim', async () => {
    expect((await resolvePrompt({ kind: 'file', path: 'prompt.md' }, readers)).text).toBe('  From a file\n');
    expect((await resolvePrompt({ kind: 'artifact', name: 'skill' }, readers)).text).toBe('From a skill\n');
  });

  test('no source is an empty prompt without a hash', async () => {
    expect(await resolvePrompt(undefined, readers)).toEqual({ text: '', source: 'none', sha256: null });
  });

  test('an override replaces all of them and reads nothing, even when it empties the prompt', async () => {
    const missing = { kind: 'file', path: 'missing.md' } as const;
    expect(await resolvePrompt(missing, readers, 'Other')).toMatchObject({ text: 'Other', source: 'cli' });
    expect(await resolvePrompt(missing, readers, '')).toEqual({ text: '', source: 'cli', sha256: null });
  });

  test.each([
    [{ kind: 'file', path: 'missing.md' } as const, "prompt file 'missing.md'"],
    [{ kind: 'artifact', name: 'nobody' } as const, "prompt artifact 'nobody'"],
  ])('%j that cannot be read is E-RUN-009', async (source, named) => {
    await expect(resolvePrompt(source, readers)).rejects.toMatchObject({
      code: 'E-RUN-009',
      message: expect.stringContaining(named),
    });
  });
});
