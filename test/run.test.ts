import { truncateSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { ManifestWarning } from '../src/manifest/index.js';
import { prepareRun, type RunRequest } from '../src/run.js';
import { rehearsal, Sandbox } from './e2e/cli.js';

let sandbox: Sandbox;
beforeAll(() => {
  sandbox = new Sandbox();
});
afterAll(() => sandbox.remove());

const prepare = (manifest: string, run: RunRequest = {}) =>
  prepareRun({ manifestPath: sandbox.manifest(manifest), ...run }, { HOME: sandbox.home }, onWarning);
const warnings: ManifestWarning[] = [];
const onWarning = (warning: ManifestWarning) => {
  warnings.push(warning);
};
beforeEach(() => {
  warnings.length = 0;
});
const agent = (more: Readonly<Record<string, unknown>> = {}): string => rehearsal([{ say: 'hi' }], more);

describe('prepareRun (spec/cli.md 11.2)', () => {
  test('says first when the manifest pins another release, and nothing when it pins none', () => {
    prepare(agent());
    expect(warnings).toEqual([]);
    prepare(agent({ mur_version: '99.0.0' }));
    expect(warnings[0]?.message).toMatch(/^manifest requires mur 99\.0\.0 but you are running mur \d+\.\d+\.\d+$/);
  });

  test('tells of a misspelt key also when the run is refused for want of it', () => {
    const manifest = { name: 'misspelt', version: '0.1.0', inferense: { model: 'm' } };
    expect(() => prepare(JSON.stringify(manifest))).toThrow(expect.objectContaining({ code: 'E-RUN-004' }));
    expect(warnings.map(({ message }) => message)).toEqual([
      "unknown key 'inferense' at the top level is ignored; did you mean 'inference'?",
    ]);
  });

  test('takes a task from the file it names, else the text itself', () => {
    const path = sandbox.write('project/question.md', 'from the file');
    expect(Buffer.from(prepare(agent(), { task: path }).request.taskInput!).toString()).toBe('from the file');
    expect(Buffer.from(prepare(agent(), { task: 'no/such/file' }).request.taskInput!).toString()).toBe('no/such/file');
  });

  test('refuses a file that is too large for a task', () => {
    const path = sandbox.write('project/huge.md', '');
    truncateSync(path, 3 * 1024 ** 3);
    expect(() => prepare(agent(), { task: path })).toThrow(/failed to read the task at .*huge\.md: larger than/);
  });

  test('takes the strongest containment that anybody asks for', () => {
    sandbox.write('home/.murmur/config.yaml', 'containment: scoped\n');
    const floor = (manifest: string, run?: RunRequest) => prepare(manifest, run).request.declaredContainmentFloor;
    expect(floor(agent())).toBe('scoped');
    expect(floor(agent({ capabilities: { containment: 'sealed' } }))).toBe('sealed');
    expect(floor(agent(), { containment: 'advisory' })).toBe('scoped');
    sandbox.write('home/.murmur/config.yaml', '');
    expect(floor(agent())).toBe('advisory');
  });

  test.each<[string, RunRequest, string]>([
    ['a system prompt', { systemPrompt: 'x' }, 'E-IO-003'],
    ['a deadline', { deadlineMs: 1000 }, 'E-RUN-902'],
    ['nothing but a component it does not have', {}, 'E-RUN-004'],
  ])('refuses a script capsule that is given %s', (_, run, code) => {
    expect(() => prepare(JSON.stringify({ name: 'script', version: '0.1.0' }), run)).toThrow(
      expect.objectContaining({ code }),
    );
  });

  test('names the manifest that is not there', () => {
    const manifestPath = join(sandbox.root, 'nowhere', 'murmur.yaml');
    expect(() => prepareRun({ manifestPath }, { HOME: sandbox.home })).toThrow(
      expect.objectContaining({ code: 'E-IO-001', message: expect.stringContaining(manifestPath) }),
    );
  });
});
