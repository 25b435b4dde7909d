/** The README's "Write a tool", run as it is written: an empty folder, the built command, no network. */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Sandbox } from './cli.js';

const main = resolve(import.meta.dirname, '../../dist/src/bin/mur.js');
const section =
  readFileSync('README.md', 'utf8')
    .split('\n## ')
    .find((part) => part.startsWith('Write a tool')) ?? '';
const block = (language: string) => new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(section)?.[1] ?? '';

let sandbox: Sandbox;
beforeEach(() => {
  sandbox = new Sandbox();
  const bin = join(sandbox.root, 'bin');
  mkdirSync(bin);
  writeFileSync(join(bin, 'mur'), `#!/bin/sh\nexec "${process.execPath}" "${main}" "$@"\n`);
  chmodSync(join(bin, 'mur'), 0o755);
});
afterEach(() => sandbox.remove());

function shell(script: string, cwd = sandbox.project) {
  const env = { PATH: `${join(sandbox.root, 'bin')}:${process.env.PATH}`, HOME: sandbox.home, NO_COLOR: '1' };
  return spawnSync('sh', ['-ec', script], { cwd, env, encoding: 'utf8', timeout: 120_000 });
}

test('the commands of the README make, build, install and run a tool', () => {
  expect(block('sh').trim().split('\n')).toHaveLength(4);
  const ran = shell(block('sh'));
  expect(ran.stderr).toContain('word-count: ok');
  expect(ran.stderr).toContain('{"lines":2,"words":9,"longest":"humming"}');
  expect(ran.stderr).not.toMatch(/warning|error/);
  expect(ran.stdout).toMatch(/^Built artifact: word-count-0\.1\.0\.mur\.zip$/m);
  expect(ran.stdout).toMatch(/^Installed word-count@0\.1\.0 -> /m);
  expect(ran.stdout).toMatch(/^status: {2}ok$/m);
  expect(ran.status).toBe(0);

  const project = join(sandbox.project, 'word-count');
  expect(readFileSync(join(project, 'src/main.ts'), 'utf8')).toBe(block('ts'));
  expect(block('ts').trimEnd().split('\n')).toHaveLength(15);

  // Built again, also elsewhere, it is the same archive; and nothing but the archive was left behind.
  const sha = () => JSON.parse(shell('mur build --json', project).stdout) as { sha256: string; imports: string[] };
  const first = sha();
  expect(first.imports).toEqual(['wasi:filesystem/preopens@0.2.9']);
  const elsewhere = shell(
    'mkdir other && cd other && mur new tool word-count >/dev/null && cd word-count && mur build --json',
  );
  expect(JSON.parse(elsewhere.stdout)).toMatchObject({ sha256: first.sha256, name: 'word-count', warnings: [] });
  expect(readdirSync(project).sort()).toEqual([
    '.gitignore',
    'README.md',
    'mur.d.ts',
    'murmur.yaml',
    'src',
    'try',
    'tsconfig.json',
    'word-count-0.1.0.mur.zip',
  ]);
}, 180_000);

test('the READMEs of the driver and the skill hold as well', () => {
  for (const [kind, answer] of [
    ['driver', 'I heard: Is anybody there?'],
    ['skill', 'Leaving a note for the next shift'],
  ] as const) {
    shell(`mur new ${kind} my-${kind}`);
    const project = join(sandbox.project, `my-${kind}`);
    const commands = /```sh\n([\s\S]*?)```/.exec(readFileSync(join(project, 'README.md'), 'utf8'))?.[1] ?? '';
    const ran = shell(commands, project);
    expect(ran.stderr).toContain(answer);
    expect(ran.status, ran.stderr).toBe(0);
  }
}, 180_000);

test('a hook builds and installs, and its README says that it does not run yet', () => {
  const ran = shell(
    'mur new hook my-hook >/dev/null && cd my-hook && mur build && mur install -g my-hook-0.1.0.mur.zip && mur list -g --contract murmur:hook',
  );
  expect(ran.stdout).toContain('murmur:hook/lifecycle@0.9.0');
  expect(ran.status, ran.stderr).toBe(0);
  expect(readFileSync(join(sandbox.project, 'my-hook/README.md'), 'utf8')).toContain('it does not run them yet');
}, 120_000);

test('a mistake is told with its place and without a stack', () => {
  shell('mur new tool t');
  const main = join(sandbox.project, 't/src/main.ts');
  writeFileSync(main, readFileSync(main, 'utf8').replace('files.readText(path)', 'files.readText(path'));
  const ran = shell('mur build', join(sandbox.project, 't'));
  expect(ran.stderr).toMatch(/^error\[E-BLD-901\]: src\/main\.ts:10:\d+: /m);
  expect(ran.stderr).not.toMatch(/^\s+at /m);
  expect(ran.stdout).toBe('');
  expect(ran.status).toBe(1);
}, 60_000);

test('mur new refuses to replace, an unknown kind, and a task, which is a beta feature', () => {
  shell('mur new skill s');
  const again = shell('mur new skill s');
  expect(again.stderr).toMatch(/^error\[E-NEW-003\]: s exists already; nothing was written$/m);
  expect(again.status).toBe(1);
  expect(shell('mur new robot r').stderr).toMatch(/^error\[E-NEW-002\]: 'robot' is no kind of project/m);
  const task = shell('mur new "watch the pump and tell me"');
  expect(task.stderr).toMatch(/error\[E-CFG-901\][\s\S]*mur beta enable mur-new/);
  expect(task.status).toBe(1);
  expect(shell('mur new --roster a tool').status).toBe(2);
  expect(shell('mur new --roster a --registry local').status).toBe(2);
  expect(shell('mur new').status).toBe(2);
});

test('mur build takes its flags as the specification has them', () => {
  mkdirSync(join(sandbox.project, 'Notes Folder'));
  writeFileSync(join(sandbox.project, 'Notes Folder/Skill.md'), '# how');
  expect(shell('mur build --skill "./Notes Folder"').stdout).toBe('Built artifact: notes-folder-0.1.0.mur.zip\n');
  expect(shell('mur build --skill watch "Notes Folder" --version 1.2.0').stdout).toBe(
    'Built artifact: watch-1.2.0.mur.zip\n',
  );
  expect(shell('mur build "Notes Folder" --skill').stdout).toBe('Built artifact: notes-folder-0.1.0.mur.zip\n');
  for (const usage of ['--skill watch', '--version 1.0.0', '--summary x', '--skill ./a ./b', '--skill ./a -o x']) {
    const ran = shell(`mur build ${usage}`);
    expect(ran.status, usage).toBe(2);
    expect(ran.stderr).toContain('usage: mur build');
  }
  expect(shell('mur build --version').stdout).toMatch(/^mur /);
  expect(shell('mur --version').stdout).toMatch(/^mur /);

  writeFileSync(
    join(sandbox.project, 'murmur.yaml'),
    'name: a\nversion: 1.0.0\nruntime: capsule\nexecution: static\nx: { api_key: sk-1 }\n',
  );
  const warned = shell('mur build');
  expect(warned.stderr).toMatch(
    /^warning\[W-SEC-004\]: murmur\.yaml: 'x\.api_key' .*\n {2}-> .*\n {2}-> https:\/\/\S+#w-sec-004\n$/,
  );
  expect(warned.stdout).toBe('Built artifact: a-1.0.0.mur.zip\n');
  expect(warned.status).toBe(0);
});
