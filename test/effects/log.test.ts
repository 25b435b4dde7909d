import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { SessionLog } from '../../src/effects/index.js';
import { MurError } from '../../src/errors/index.js';
import { type AppendFile, type HeldDirectory, holdDirectory } from '../../src/home/index.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mur-log-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

test('keeps what was said before the file could be opened', async () => {
  const records = holdDirectory(folder);
  const log = new SessionLog();
  log.write({ level: 'warn', message: 'early' });
  const close = await log.open(records);
  log.write({ level: 'info', message: 'late' });
  close();
  records.close();
  const lines = readFileSync(join(folder, 'logs/bootstrap.log'), 'utf8').trim().split('\n');
  expect(lines.map((line) => (JSON.parse(line) as { msg: string }).msg)).toEqual(['early', 'late']);
});

test('a line that finds no room ends nothing', async () => {
  const fails = () => {
    throw new MurError('E-IO-003', 'no space left on device');
  };
  const file: AppendFile = { path: 'bootstrap.log', write: fails, writeLine: fails, flush: async () => {}, close() {} };
  const full: Pick<HeldDirectory, 'mkdir' | 'openAppend'> = { mkdir: () => undefined, openAppend: () => file };
  const log = new SessionLog();
  log.write({ level: 'warn', message: 'early' });
  const close = await log.open(full as HeldDirectory);
  expect(() => log.write({ level: 'error', message: 'late' })).not.toThrow();
  close();
});
