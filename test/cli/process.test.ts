import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { murVersion } from '../../src/version.js';
import { screenAfter } from './terminal.js';

const main = resolve('dist/src/cli/main.js');
const mur = `'${process.execPath}' '${main}'`;
const home = mkdtempSync(join(tmpdir(), 'mur-cli-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

function shell(command: string, env: Record<string, string> = {}) {
  const { status, stdout, stderr } = spawnSync('bash', ['-o', 'pipefail', '-c', command], {
    encoding: 'utf8',
    cwd: home,
    env: { PATH: process.env.PATH, HOME: home, ...env },
  });
  return { status, stdout, stderr };
}

/** What a terminal of 80 columns got, and the exit status. */
function onTerminal(command: string, env: Record<string, string> = {}) {
  const inner = `stty cols 80 rows 24; ${command}`;
  return shell(`script -qec "$INNER" /dev/null`, { INNER: inner, TERM: 'xterm-256color', LANG: 'C.UTF-8', ...env });
}

describe('the mur process', () => {
  it('starts, says its version and exits 0', () => {
    expect(shell(`${mur} --version`)).toEqual({ status: 0, stdout: `mur ${murVersion}\n`, stderr: '' });
  });

  it('exits 2 for wrong usage and 1 for an error', () => {
    expect(shell(`${mur} runn`).status).toBe(2);
    const { status, stdout, stderr } = shell(`${mur} run --manifest nowhere/murmur.yaml`);
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^error\[E-IO-001\]: murmur\.yaml not found at .*nowhere\/murmur\.yaml\n {2}hint: /);
  });

  it('keeps its exit status when nobody reads its output', () => {
    expect(shell(`${mur} help run | true`)).toMatchObject({ status: 0, stderr: '' });
    expect(shell(`${mur} runn 2>&1 | true`).status).toBe(2);
  });

  it('fails when its output cannot be written for another reason', () => {
    const { status, stderr } = shell(`${mur} help run > /dev/full`);
    expect(status).toBe(1);
    expect(stderr).toMatch(/^error\[E-IO-003\]: failed to write to standard output: /);
  });

  it('colours a terminal and nothing else', () => {
    expect(onTerminal(mur).stdout).toContain('\x1b[1mmur\x1b[22m');
    expect(onTerminal(mur, { NO_COLOR: '1' }).stdout).not.toContain('\x1b');
    expect(onTerminal(mur, { TERM: 'dumb' }).stdout).not.toContain('\x1b');
    expect(shell(mur).stdout).not.toContain('\x1b');
  });
});

describe('mur run on a real terminal', () => {
  it('ends as a neat log: no spinner, no leftovers, answer before status', () => {
    const manifest = resolve('examples/first/murmur.yaml');
    mkdirSync(join(home, 'work'));
    const { status, stdout } = onTerminal(
      `${mur} run --manifest '${manifest}' --workdir work --task 'Why did the pump stop?'`,
    );
    const screen = screenAfter(stdout.replaceAll('\r\n', '\n'), 80).join('\n');
    expect(screen).toMatch(
      /\n {2}✓ staged .* s\nmurmur: url localhost:\d+\nsession: ses_[0-9a-f]{32}\n\n▸ Why did the pump stop\?\n\n/,
    );
    expect(screen).toMatch(/\n {2}· turn 1 {13}[\d,]+ in · [\d,]+ out +\d.*s\n {4}\S.*\n {2}✓ mur-tool-files /);
    expect(screen).toMatch(
      /\n {2}✓ completed {10}\d+ turns · \d+ tool calls +.*s\n\n[^\n]*pump stopped[\s\S]*\n\nstatus: {2}ok\n/,
    );
    expect(screen).not.toMatch(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/);
    expect(status).toBe(0);
  }, 120_000);
});
