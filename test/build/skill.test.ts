import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openArchive, packArchive } from '../../src/artifacts/index.js';
import { type Built, buildSkill, skillName } from '../../src/build/index.js';
import { Project } from './guest.js';

async function pack(
  project: Project,
  options: Partial<Parameters<typeof buildSkill>[0]> = {},
): Promise<Built & { files: Record<string, string> }> {
  const built = await buildSkill({
    path: join(project.root, 'My Skill'),
    version: '0.1.0',
    folder: project.root,
    ...options,
  });
  const archive = await openArchive(readFileSync(built.path), 'built');
  const files: Record<string, string> = {};
  for (const name of archive.names) files[name] = Buffer.from(await archive.read(name)).toString();
  return { ...built, files };
}

test.each([
  ['notes', 'notes'],
  ['My Skill.ZIP', 'my-skill'],
  ['a/b/Night  Watch!!', 'night-watch'],
  ['--__x__--', 'x'],
  ['ÄÖÜ', 'skill'],
  ['a-b_c', 'a-b-c'],
])('the name of %j is %s', (path, name) => {
  expect(skillName(path)).toBe(name);
});

test('a folder with a SKILL.md in any case, and the regular files beside it', async () => {
  using project = new Project();
  project.write('My Skill/Skill.MD', '# how');
  project.write('My Skill/table.csv', '1,2');
  project.write('My Skill/deep/er.txt', 'not packed');
  symlinkSync('/etc/passwd', join(project.root, 'My Skill/link'));
  const { path, files } = await pack(project, { name: 'night-watch', summary: 'How to: keep "watch"' });
  expect(path).toBe(join(project.root, 'night-watch-0.1.0.mur.zip'));
  expect(Object.keys(files)).toEqual(['murmur.yaml', 'skill.md', 'table.csv']);
  expect(files['murmur.yaml']).toBe(
    'name: "night-watch"\nversion: "0.1.0"\nruntime: skill\ndescription: "How to: keep \\"watch\\""\n',
  );
});

test('a zip gives the same archive as the folder it holds', async () => {
  using project = new Project();
  project.write('My Skill/SKILL.md', '# how');
  const entries = [
    { name: 'SKILL.md', bytes: Buffer.from('# how') },
    { name: 'in/x', bytes: Buffer.from('') },
  ];
  const zip = project.write('s.zip', await packArchive(entries));
  const { sha256 } = await pack(project, { name: 's' });
  expect((await pack(project, { name: 's', path: zip })).sha256).toBe(sha256);
});

test('a manifest of its own is kept byte for byte and names the archive', async () => {
  using project = new Project();
  const text = '# mine\nname: mine\nversion: 2.0.0\nruntime: skill\n';
  project.write('My Skill/SKILL.md', '');
  project.write('My Skill/murmur.yaml', text);
  const { path, files } = await pack(project);
  expect(path).toBe(join(project.root, 'mine-2.0.0.mur.zip'));
  expect(files['murmur.yaml']).toBe(text);
});

test.each([
  ['name: a\nversion: 1.0.0\nruntime: tool\n', 'E-MAN-003'],
  ['name: [', 'E-MAN-002'],
  ['name: a\nruntime: skill\n', 'E-MAN-001'],
  ['name: A\nversion: 1.0.0\nruntime: skill\n', 'E-BLD-001'],
])('a manifest of its own that does not fit: %j', async (text, code) => {
  using project = new Project();
  project.write('My Skill/SKILL.md', '');
  project.write('My Skill/murmur.yaml', text);
  await expect(pack(project)).rejects.toMatchObject({ code });
  expect(project.names()).toEqual(['My Skill']);
});

test('what is no skill', async () => {
  using project = new Project();
  mkdirSync(join(project.root, 'My Skill'));
  await expect(pack(project)).rejects.toMatchObject({
    code: 'E-IO-001',
    message: `SKILL.md not found in ${join(project.root, 'My Skill')} (case-insensitive search found no match)`,
  });
  await expect(pack(project, { path: join(project.root, 'no') })).rejects.toMatchObject({ code: 'E-IO-001' });
  writeFileSync(join(project.root, 'x.zip'), 'not a zip');
  await expect(pack(project, { path: join(project.root, 'x.zip') })).rejects.toMatchObject({ code: 'E-IO-003' });
  // Neither a device nor a pipe is waited for.
  await expect(pack(project, { path: '/dev/zero' })).rejects.toMatchObject({
    code: 'E-IO-003',
    message: 'failed to read /dev/zero: not a regular file',
  });
  project.write('My Skill/SKILL.md', '');
  await expect(pack(project, { version: '../1' })).rejects.toMatchObject({ code: 'E-MAN-003' });
  project.write('My Skill/skill.md', '');
  await expect(pack(project)).rejects.toMatchObject({ code: 'E-BLD-002' });
});

test('files that hold keys are left out, and named; other hidden files are packed', async () => {
  using project = new Project();
  for (const name of ['.env', '.env.local', 'id_rsa', 'store.p12', '.npmrc']) project.write(`My Skill/${name}`, 'x');
  for (const name of ['.env.example', '.hidden', 'id_rsa.pub', 'a.pem']) project.write(`My Skill/${name}`, 'x');
  project.write('My Skill/notes.txt', 'see:\n-----BEGIN OPENSSH PRIVATE KEY-----\nabc\n');
  project.write('My Skill/SKILL.md', '# how');
  const warnings: string[] = [];
  const { files } = await pack(project, { onWarning: ({ code, message }) => warnings.push(`${code} ${message}`) });
  expect(Object.keys(files).sort()).toEqual([
    '.env.example',
    '.hidden',
    'a.pem',
    'id_rsa.pub',
    'murmur.yaml',
    'skill.md',
  ]);
  expect(warnings.map((line) => /'(.*)'/.exec(line)?.[1]).sort()).toEqual([
    '.env',
    '.env.local',
    '.npmrc',
    'id_rsa',
    'notes.txt',
    'store.p12',
  ]);
  expect(warnings[0]).toMatch(/^W-SEC-004 '.*' is left out of the skill: it is a file that holds keys$/);
});

test('a file name that is no UTF-8 is an error that says so', async () => {
  using project = new Project();
  project.write('My Skill/SKILL.md', '# how');
  writeFileSync(Buffer.concat([Buffer.from(join(project.root, 'My Skill/caf')), Buffer.from([0xe9])]), 'x');
  await expect(pack(project)).rejects.toMatchObject({
    code: 'E-BLD-002',
    message: expect.stringContaining('not valid UTF-8'),
  });
});
