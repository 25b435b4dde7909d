import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Commands } from '../../src/effects/command.js';
import { SessionLog } from '../../src/effects/index.js';
import { MurError } from '../../src/errors/index.js';
import { type AppendFile, type HeldDirectory, holdDirectory } from '../../src/home/index.js';
import { rehearsal } from '../e2e/cli.js';
import { Library } from './run.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mur-log-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

test('keeps what was said before the file could be opened', async () => {
  const records = holdDirectory(folder);
  const log = new SessionLog();
  log.write({ level: 'warn', message: 'early' });
  await log.open(records);
  log.write({ level: 'info', message: 'late' });
  log.close();
  log.write({ level: 'info', message: 'too late' });
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
  await log.open(full as HeldDirectory);
  expect(() => log.write({ level: 'error', message: 'late' })).not.toThrow();
  log.close();
});

test('one that was closed before it could be opened opens nothing', async () => {
  const records = holdDirectory(folder);
  const log = new SessionLog();
  const opening = log.open(records);
  log.close();
  await opening;
  expect(existsSync(join(folder, 'logs'))).toBe(false);
  records.close();
});

test('closes after everything that may still say something: the last sweep of the commands is heard', async () => {
  const { sweep } = Commands.prototype;
  vi.spyOn(Commands.prototype, 'sweep').mockImplementation(function (this: Commands) {
    this.host.log({ level: 'info', message: 'swept' });
    return sweep.call(this);
  });
  const library = new Library();
  try {
    const capabilities = { containment: 'unconfined', shell: { allow: ['sh'] } };
    const { result } = await library.run(rehearsal([{ say: 'Done.' }], { capabilities }));
    const lines = readFileSync(join(result.recordsDir!, 'logs/bootstrap.log'), 'utf8');
    // Once for the last lines of the trace, once by the scope of the session.
    expect(lines.match(/"msg":"swept"/g)).toHaveLength(2);
  } finally {
    vi.restoreAllMocks();
    await library.close();
  }
});
