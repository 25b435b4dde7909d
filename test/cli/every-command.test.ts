import { describe, expect, it } from 'vitest';
import { commandRows } from '../../src/cli/commands.js';
import { allCommands } from '../../src/cli/completion-print.js';
import { runProgram } from '../../src/cli/program.js';
import { murVersion } from '../../src/version.js';
import { memoryOutput } from './memory-stream.js';

/** Runs a line far enough to see what the parser makes of it: no command does anything. */
async function mur(...argv: readonly string[]) {
  const stdout = memoryOutput();
  const stderr = memoryOutput();
  const ran: string[] = [];
  const context = { stdout: stdout.output, stderr: stderr.output, env: { HOME: '/nowhere' } };
  const status = await runProgram(argv, context, async (command) => {
    ran.push(command);
    return 0;
  });
  return { status, stdout: stdout.text(), stderr: stderr.text(), ran };
}

const everything = (await allCommands({ env: { HOME: '/nowhere' } })).filter(
  ({ path }) => path !== '' && !path.endsWith('help'),
);
const paths = everything.map(({ path }) => path);
const groups = new Set(everything.filter(({ below }) => below.length > 0).map(({ path }) => path));

/** spec/cli.md section 1: what holds for every command. */
describe.each(paths)('mur %s', (path) => {
  const words = path.split(' ');

  it('explains itself on stdout, with examples, for --help, -h and mur help', async () => {
    const told = await mur(...words, '--help');
    expect([told.status, told.stderr, told.ran]).toEqual([0, '', []]);
    expect(told.stdout).toMatch(new RegExp(`^Usage: mur ${path} `));
    expect(told.stdout).toContain('\nExamples:\n');
    expect(told.stdout).toContain(`  mur ${words[0]}`);
    expect(await mur(...words, '-h')).toEqual(told);
    expect(await mur('help', ...words)).toEqual(told);
  });

  it('prints the version', async () => {
    expect(await mur(...words, '--version')).toMatchObject({ status: 0, stdout: `mur ${murVersion}\n`, stderr: '' });
  });

  it('takes an unknown flag as wrong usage, told on stderr', async () => {
    const { status, stdout, stderr, ran } = await mur(...words, '--nosuchflag');
    expect([status, stdout, ran]).toEqual([2, '', []]);
    expect(stderr).toMatch(/^error: (unknown option '--nosuchflag'|missing required argument)/);
    expect(stderr).toContain(`usage: mur ${path}`);
    expect(stderr).toContain(`See: mur help ${path}`);
  });

  it('suggests the flag that was probably meant', async () => {
    const { status, stderr } = await mur(...words, '--hlep');
    expect(status).toBe(2);
    if (!stderr.includes('missing required')) expect(stderr).toContain('(Did you mean --help?)');
  });
});

describe('names', () => {
  it('are those of the table, once each, and every module makes the command of its row', async () => {
    const names = commandRows.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    for (const { name, load } of commandRows) {
      const module = await load();
      expect(module.command({ run: () => Promise.resolve() }).name()).toBe(name);
    }
  });

  it('have a summary that fits one line of help', () => {
    for (const { summary } of commandRows) {
      expect(summary).toMatch(/^[a-z].*[^.]$/);
      expect(summary.length).toBeLessThanOrEqual(70);
    }
  });

  it.each([...groups])('mur %s alone explains itself and is wrong usage', async (path) => {
    const { status, stdout, stderr } = await mur(...path.split(' '));
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^Usage: mur /);
  });

  it.each([
    [['isntall'], 'install'],
    [['lst'], 'list'],
    [['confg', 'list'], 'config'],
    [['help', 'isntall'], 'install'],
    [['config', 'lst'], 'list'],
    [['beta', 'enabel'], 'enable'],
  ])('%j leads to what was probably meant', async (argv, meant) => {
    const { status, stderr } = await mur(...argv);
    expect(status).toBe(2);
    expect(stderr).toMatch(new RegExp(`\\(Did you mean .*\\b${meant}\\b`));
  });

  it('of a beta feature are neither listed nor suggested', async () => {
    expect((await mur('deploi')).stderr).not.toContain('deploy');
    expect((await mur('help')).stdout).not.toContain('topology');
  });
});
