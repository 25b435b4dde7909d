import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { commandRows } from '../../src/cli/commands.js';
import { Sandbox } from './cli.js';

const main = resolve(import.meta.dirname, '../../dist/src/bin/mur.js');
let box: Sandbox;
beforeAll(() => {
  box = new Sandbox();
});
afterAll(() => box.remove());

interface Piped {
  readonly line: string;
  readonly code: number | null;
  readonly stderr: string;
}

/** The status and the errors of `mur <line>` whose stdout goes where `into` says, in the words of bash. */
async function piped(line: string, into: string): Promise<Piped> {
  const script = `"$NODE" "$MUR" ${line} ${into}; exit "\${PIPESTATUS[0]}"`;
  const env = { PATH: process.env.PATH ?? '', HOME: box.home, NODE: process.execPath, MUR: main };
  const child = spawn('bash', ['-c', script], { cwd: box.project, env, stdio: ['ignore', 'ignore', 'pipe'] });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const [code] = await once(child, 'close');
  return { line, code: code as number | null, stderr };
}

/** All of them, a few at once. */
async function each(lines: readonly string[], into: string): Promise<Piped[]> {
  const waiting = [...lines];
  const done: Piped[] = [];
  const worker = async () => {
    for (let line = waiting.shift(); line !== undefined; line = waiting.shift()) done.push(await piped(line, into));
  };
  await Promise.all([worker(), worker(), worker()]);
  return done;
}

/** What every command prints, and results of those that need nothing. */
const lines = [
  ...commandRows.map(({ name }) => `help ${name}`),
  '',
  'help',
  '--version',
  'ps',
  'ps --json',
  'list',
  'config list',
  'config path',
  'beta list',
  'schema capsule',
  'completion zsh',
  'chart',
];

/** spec/cli.md section 1, "Piped output". */
describe('output that nobody takes', () => {
  test('a reader that is gone changes nothing: no error, and the status there would have been', async () => {
    const expected = lines.map((line) => ({ line, code: 0, stderr: '' }));
    const ran = await each(lines, '| true');
    expect(ran.sort(byLine)).toEqual(expected.sort(byLine));
  }, 120_000);

  test.skipIf(!existsSync('/dev/full'))(
    'a full disk is an error of a command that had none',
    async () => {
      const message = 'error[E-IO-003]: failed to write to standard output: write ENOSPC\n';
      const ran = await each(lines, '> /dev/full');
      for (const { line, code, stderr } of ran) {
        expect([line, code, stderr.replace('ENOSPC: no space left on device, write', 'write ENOSPC')]).toEqual([
          line,
          1,
          message,
        ]);
      }
    },
    120_000,
  );

  test('a command that failed keeps its own error', async () => {
    for (const into of ['| true', '> /dev/full']) {
      const [ran] = await each(['token'], into);
      expect([ran?.code, ran?.stderr]).toEqual([
        1,
        expect.stringMatching(/^error\[E-RUN-022\]: [^\n]*\n {2}hint: [^\n]*\n$/),
      ]);
      const [usage] = await each(['stop'], into);
      expect([usage?.code, usage?.stderr]).toEqual([2, expect.stringContaining('usage: mur stop')]);
    }
  }, 60_000);

  test('a closed stderr takes no result away', async () => {
    expect((await piped('ps', '2>&-')).code).toBe(0);
    expect((await piped('token', '2>/dev/full')).code).toBe(1);
  }, 60_000);
});

function byLine(a: Piped, b: Piped): number {
  return a.line < b.line ? -1 : 1;
}
