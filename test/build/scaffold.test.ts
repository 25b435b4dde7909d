import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { parse } from 'yaml';
import { buildArtifact } from '../../src/build/index.js';
import { newProject, newRoster, projectKinds } from '../../src/build/scaffold/index.js';
import { parseManifest } from '../../src/manifest/index.js';
import { Project } from './guest.js';

const none = { provider: '', endpoint: '', model: '' };
const read = (project: Project, path: string) => readFileSync(join(project.root, path), 'utf8');

vi.setConfig({ testTimeout: 120_000 });

describe.each(projectKinds)('mur new %s', (kind) => {
  test('makes a project that builds, without a warning', async () => {
    using project = new Project();
    const { folder, files } = newProject(kind, `my-${kind}`, project.root, none);
    expect(folder).toBe(join(project.root, `my-${kind}`));
    expect(files).toEqual([...files].sort());
    const warnings: unknown[] = [];
    const built = await buildArtifact({ source: folder, onWarning: (warning) => warnings.push(warning) });
    expect(built).toMatchObject({ name: `my-${kind}`, version: '0.1.0', runtime: kind === 'agent' ? 'capsule' : kind });
    expect(warnings).toEqual([]);
    for (const file of files) expect(read(project, `my-${kind}/${file}`), file).not.toMatch(/__[a-z]+__/);
  });

  test('has a README of three commands', () => {
    using project = new Project();
    newProject(kind, 'x', project.root, none);
    const commands = /```sh\n([\s\S]*?)```/.exec(read(project, 'x/README.md'))?.[1]?.trim().split('\n');
    expect(commands).toHaveLength(3);
    expect(read(project, 'x/README.md')).toMatch(/^# `x`\n/);
  });

  test('in a folder, without a name: named after it, and nothing there is replaced', () => {
    using project = new Project();
    const folder = join(project.root, 'Night Watch_2');
    mkdirSync(folder);
    expect(newProject(kind, undefined, folder, none)).toMatchObject({ name: 'night-watch-2', folder });
    const before = readdirSync(folder).sort();
    expect(() => newProject(kind, undefined, folder, none)).toThrow(expect.objectContaining({ code: 'E-NEW-003' }));
    expect(readdirSync(folder).sort()).toEqual(before);
  });
});

test('the sources of the templates are well typed', () => {
  using project = new Project();
  for (const kind of ['tool', 'hook', 'driver'] as const) newProject(kind, kind, project.root, none);
  for (const kind of ['tool', 'hook', 'driver']) {
    const tsc = spawnSync(
      process.execPath,
      [join('node_modules', 'typescript', 'bin', 'tsc'), '-p', join(project.root, kind)],
      { encoding: 'utf8' },
    );
    expect(tsc.stdout).toBe('');
    expect(tsc.status).toBe(0);
  }
});

test('the tool of the template is 15 lines', () => {
  using project = new Project();
  newProject('tool', 't', project.root, none);
  expect(read(project, 't/src/main.ts').trimEnd().split('\n')).toHaveLength(15);
});

describe('mur new --roster', () => {
  test('two capsules that parse, of which one calls the other', () => {
    using project = new Project();
    const { files } = newRoster('shift', project.root, none);
    expect(files).toEqual(['lead/murmur.yaml', 'roster.yaml', 'worker/murmur.yaml']);
    expect(parse(read(project, 'shift/roster.yaml'))).toEqual({
      roster_version: 1,
      members: [
        { name: 'lead', capsule: 'shift-lead', version: '0.1.0', entry: true },
        { name: 'worker', capsule: 'shift-worker', version: '0.1.0' },
      ],
      reachability: [{ from: 'lead', to: ['worker'] }],
    });
    const [lead, worker] = ['lead', 'worker'].map(
      (member) => parseManifest(read(project, `shift/${member}/murmur.yaml`), { path: member }).manifest,
    );
    expect(lead).toMatchObject({
      name: 'shift-lead',
      version: '0.1.0',
      inference: { model: 'claude-haiku-4-5-20251001' },
    });
    expect(lead?.capabilities?.network?.allow).toEqual(['localhost']);
    expect(lead?.exports?.peerTasks).toBeUndefined();
    expect(worker).toMatchObject({ name: 'shift-worker', lifecycle: { taskAcceptance: 'queue', afterTask: 'sleep' } });
    expect(worker?.inference?.systemPrompt).toMatchObject({
      text: expect.stringContaining('`worker` of the formation `shift`'),
    });
    expect(read(project, 'shift/worker/murmur.yaml')).toContain('peer_tasks: { accept: true }');
  });

  test('asks the provider of the global config', () => {
    using project = new Project();
    newRoster('a', project.root, { provider: 'openai', endpoint: '', model: '' });
    expect(read(project, 'a/lead/murmur.yaml')).toMatch(
      /mur-driver-openai[\s\S]*api\.openai\.com\/v1[\s\S]*OPENAI_API_KEY[\s\S]*gpt-5\.6-luna/,
    );
    newRoster('b', project.root, { provider: 'anthropic', endpoint: 'http://127.0.0.1:9/x', model: 'odd "model": 1' });
    const { manifest } = parseManifest(read(project, 'b/worker/murmur.yaml'), { path: 'b' });
    expect(manifest.inference?.model).toBe('odd "model": 1');
    expect(() => newRoster('c', project.root, { ...none, provider: 'other' })).toThrow(
      expect.objectContaining({ code: 'E-NEW-004', message: expect.stringContaining("'other'") }),
    );
    expect(() => newRoster('c', project.root, { ...none, endpoint: 'ftp://x' })).toThrow(
      expect.objectContaining({ code: 'E-MAN-003', message: expect.stringContaining('inference.endpoint') }),
    );
    expect(project.names()).toEqual(['a', 'b']);
  });

  test.each(['Bad', 'a/b', '', '-x', 'x'.repeat(98)])('%j cannot be a name, and nothing is written', (name) => {
    using project = new Project();
    expect(() => newRoster(name, project.root, none)).toThrow(expect.objectContaining({ code: 'E-NEW-002' }));
    expect(project.names()).toEqual([]);
  });

  test.each([
    ['a file', (at: string) => writeFileSync(at, 'x')],
    ['a folder', (at: string) => void mkdirSync(at)],
    ['a link to nowhere', (at: string) => symlinkSync('/nowhere/at/all', at)],
  ])('what is there stays: %s', (_what, make) => {
    using project = new Project();
    make(join(project.root, 'shift'));
    expect(() => newRoster('shift', project.root, none)).toThrow(
      expect.objectContaining({ code: 'E-NEW-003', message: expect.stringContaining(join(project.root, 'shift')) }),
    );
    expect(project.names()).toEqual(['shift']);
  });
});
