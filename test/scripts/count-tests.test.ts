import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mur-count-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const file = (status: 'passed' | 'failed', ...tests: ('passed' | 'failed' | 'skipped')[]) => ({
  status,
  assertionResults: tests.map((each) => ({ status: each })),
});

function count(...reports: (object[] | undefined)[]): { line: string; status: number | null } {
  const paths = reports.map((files, index) => {
    const path = join(folder, `${index}.json`);
    if (files !== undefined) writeFileSync(path, JSON.stringify({ testResults: files }));
    return path;
  });
  const { stdout, status } = spawnSync(process.execPath, ['scripts/count-tests.mjs', ...paths], { encoding: 'utf8' });
  return { line: stdout.trim(), status };
}

it('adds up reports and counts neither skipped tests nor passing files', () => {
  expect(count([file('passed', 'passed', 'skipped'), file('passed', 'passed')], [file('passed', 'passed')])).toEqual({
    line: '3 passed, 0 failed',
    status: 0,
  });
});

it('counts a file that could not be loaded as one failure', () => {
  expect(count([file('passed', 'passed'), file('failed')])).toEqual({ line: '1 passed, 1 failed', status: 1 });
});

it('counts failed tests once', () => {
  expect(count([file('failed', 'failed', 'failed', 'passed')])).toEqual({ line: '1 passed, 2 failed', status: 1 });
});

it('counts a run without a report as a failure, and no test at all as one to look at', () => {
  expect(count([file('passed', 'passed')], undefined)).toEqual({ line: '1 passed, 1 failed', status: 1 });
  expect(count([])).toEqual({ line: '0 passed, 0 failed', status: 1 });
});
