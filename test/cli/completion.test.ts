import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { commandRows } from '../../src/cli/commands.js';
import { bashScript } from '../../src/cli/completion-bash.js';
import { fishScript } from '../../src/cli/completion-fish.js';
import type { Completed } from '../../src/cli/completion-model.js';
import { allCommands } from '../../src/cli/completion-print.js';
import { completionValues } from '../../src/cli/completion-values.js';
import { zshScript } from '../../src/cli/completion-zsh.js';

let folder = '';
let commands: readonly Completed[] = [];

/** Answers as mur does when it is asked for sessions, and otherwise shows what it was started with. */
const stub = `#!/bin/sh
if [ "$1 $2" = "ps --addresses" ]; then printf '@1\\tpump: the first, ses_0199abcd\\n'; exit 0; fi
printf 'ARGS'; for word in "$@"; do printf '[%s]' "$word"; done; printf '\\n'
`;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'mur-completion-'));
  mkdirSync(join(folder, 'bin'));
  mkdirSync(join(folder, 'notes'));
  writeFileSync(join(folder, 'nice.yaml'), '');
  writeFileSync(join(folder, 'bin', 'mur'), stub);
  chmodSync(join(folder, 'bin', 'mur'), 0o755);
  commands = await allCommands({ env: { HOME: folder } });
  writeFileSync(join(folder, 'mur.bash'), bashScript(commands));
  writeFileSync(join(folder, '_mur'), zshScript(commands));
  writeFileSync(join(folder, 'mur.fish'), fishScript(commands));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function shell(command: string, args: readonly string[], input = ''): string {
  const env = {
    PATH: `${join(folder, 'bin')}:${process.env.PATH}`,
    HOME: folder,
    PS1: '$ ',
    TERM: 'dumb',
    LC_ALL: 'C.UTF-8',
  };
  const ran = spawnSync(command, args, { cwd: folder, env, input, encoding: 'utf8', timeout: 30_000 });
  expect(ran.error).toBeUndefined();
  return ran.stdout;
}

/** What `mur` was started with, after each line was typed into an interactive shell on a terminal. */
function typed(start: string, setup: string, inputs: readonly string[]): string[] {
  const output = shell('script', ['-qec', start, '/dev/null'], `${[setup, ...inputs, 'exit'].join('\n')}\n`);
  return [...output.matchAll(/ARGS((?:\[[^\]]*\])*)/g)].map(([, args]) => args ?? '');
}

/** What is typed, with tabs, and what it becomes. */
const lines = [
  ['mur sto\t @\t', '[stop][@1]'],
  ['mur stop \t', '[stop][@1]'],
  ['mur conf\t se\t inference.mo\t x', '[config][set][inference.model][x]'],
  ['mur run --manifest ni\t --lifecycle-after-task=sl\t', '[run][--manifest][nice.yaml][--lifecycle-after-task=sleep]'],
  ['mur comp\t fi\t', '[completion][fish]'],
  ['mur stop --timeout 3 \t', '[stop][--timeout][3][@1]'],
  ['mur help compl\t', '[help][completion]'],
  ['mur beta ena\t mur-de\t', '[beta][enable][mur-deploy]'],
  ['mur replay ni\t', '[replay][nice.yaml]'],
] as const;

describe('completion in real shells', () => {
  it('bash offers commands, flags, values, files and running sessions', () => {
    const became = typed(
      'bash --norc --noprofile -i',
      'source ./mur.bash',
      lines.map(([line]) => line),
    );
    expect(became).toEqual(lines.map(([, becomes]) => becomes));
  });

  it('bash offers directories where a directory is wanted', () => {
    expect(typed('bash --norc --noprofile -i', 'source ./mur.bash', ['mur run --workdir n\t'])).toEqual([
      '[run][--workdir][notes/]',
    ]);
  });

  it('zsh offers the same, from a file in fpath', () => {
    const setup = 'fpath=($PWD $fpath); autoload -Uz compinit; compinit -u -D';
    const became = typed(
      'zsh -f -i',
      setup,
      lines.map(([line]) => line),
    );
    expect(became).toEqual(lines.map(([, becomes]) => becomes));
  });

  it('zsh takes the script by source too', () => {
    const setup = 'autoload -Uz compinit; compinit -u -D; source ./_mur';
    expect(typed('zsh -f -i', setup, ['mur stop @\t'])).toEqual(['[stop][@1]']);
  });

  it.each([
    ['mur sto', ['stop']],
    ['mur stop ', ['@1']],
    ['mur config se', ['set']],
    ['mur config set inference.mo', ['inference.model']],
    ['mur run --manifest ni', ['nice.yaml']],
    ['mur run --lifecycle-after-task ', ['exit', 'sleep']],
    ['mur run --lifecycle-after-task=s', ['--lifecycle-after-task=sleep']],
    ['mur run --workdir n', ['notes/']],
    ['mur completion ', ['bash', 'fish', 'zsh']],
    ['mur stop --timeout 3 ', ['@1']],
    ['mur help compl', ['completion']],
    ['mur deplo', []],
  ])('fish offers after %j: %j', (line, offered) => {
    const output = shell('fish', ['--no-config', '-c', `source mur.fish; complete -C ${JSON.stringify(line)}`]);
    const words = output
      .split('\n')
      .filter((each) => each !== '')
      .map((each) => each.split('\t')[0]);
    expect(words).toEqual(offered);
  });

  it.each([
    ['bash', 'mur.bash'],
    ['zsh', '_mur'],
    ['fish', 'mur.fish'],
  ])('%s finds no fault in its script', (name, file) => {
    const ran = spawnSync(name, ['-n', join(folder, file)], { encoding: 'utf8' });
    expect([ran.status, ran.stderr]).toEqual([0, '']);
  });
});

describe('what is offered', () => {
  it('has every listed command, each with --help, and no hidden one', () => {
    const paths = commands.map(({ path }) => path);
    for (const { name, beta, hidden } of commandRows) {
      if (beta === undefined && hidden !== true) expect(paths).toContain(name);
      else expect(paths).not.toContain(name);
    }
    for (const { path, flags } of commands) {
      if (!path.endsWith('help'))
        expect([path, flags.map(({ long }) => long)]).toEqual([path, expect.arrayContaining(['--help'])]);
    }
    expect(commands.flatMap(({ flags }) => flags.map(({ long }) => long))).not.toContain('--addresses');
  });

  it('names no place that no command has', () => {
    const places = commands.flatMap(({ path, flags, arguments: args }) => [
      ...flags.filter(({ values }) => values !== undefined).map(({ long }) => `${path} ${long}`),
      ...args.map(({ name }) => `${path} <${name}>`),
    ]);
    expect(Object.keys(completionValues).filter((place) => !places.includes(place))).toEqual([]);
  });
});
