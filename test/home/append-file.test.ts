import { execFileSync } from 'node:child_process';
import { appendFileSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openAppend } from '../../src/home/append-file.js';
import { Walker } from '../../src/home/walk.js';
import { codeOf, heldFolder } from './temporary.js';

test('appends whole lines to a file made with the mode asked for', () => {
  const root = heldFolder();
  const file = root.openAppend('log', 0o600);
  file.writeLine('one');
  file.writeLine('two');
  file.close();
  expect(readFileSync(join(root.path, 'log'), 'utf8')).toBe('one\ntwo\n');
  expect(statSync(join(root.path, 'log')).mode & 0o777).toBe(0o600);
});

test('71: the next line starts on a fresh line after a tail torn at any byte', () => {
  const root = heldFolder();
  const whole = Buffer.from('{"a":"é"}\n{"b":"😀"}\n');
  fc.assert(
    fc.property(fc.nat({ max: whole.length }), (cut) => {
      const path = join(root.path, 'log');
      writeFileSync(path, whole.subarray(0, cut));
      const file = root.openAppend('log', 0o600);
      file.writeLine('fresh');
      file.writeLine('next');
      file.close();
      const lines = readFileSync(path).subarray(cut).toString();
      const needsBreak = cut > 0 && whole[cut - 1] !== 0x0a;
      expect(lines).toBe(`${needsBreak ? '\n' : ''}fresh\nnext\n`);
    }),
  );
});

test('a tail of NUL bytes counts as torn', () => {
  const root = heldFolder();
  writeFileSync(join(root.path, 'log'), Buffer.concat([Buffer.from('one\n'), Buffer.alloc(8)]));
  const file = root.openAppend('log', 0o600);
  file.writeLine('two');
  file.close();
  expect(readFileSync(join(root.path, 'log'), 'utf8')).toBe(`one\n${'\0'.repeat(8)}\ntwo\n`);
});

test('raw bytes without a line feed are followed by one before the next line', () => {
  const root = heldFolder();
  const file = root.openAppend('log', 0o600);
  file.write('part');
  file.writeLine('line');
  file.close();
  expect(readFileSync(join(root.path, 'log'), 'utf8')).toBe('part\nline\n');
});

test('appends behind what another process appended meanwhile', () => {
  const root = heldFolder();
  const file = root.openAppend('log', 0o600);
  file.writeLine('one');
  appendFileSync(join(root.path, 'log'), 'other\n');
  file.writeLine('two');
  file.close();
  expect(readFileSync(join(root.path, 'log'), 'utf8')).toBe('one\nother\ntwo\n');
});

test('flush resolves while open and after closing; closing twice is fine', async () => {
  const file = heldFolder().openAppend('log', 0o600);
  file.writeLine('one');
  await file.flush();
  file.close();
  file.close();
  await expect(file.flush()).resolves.toBeUndefined();
});

test('the parent folder must exist', () => {
  expect(codeOf(() => heldFolder().openAppend('none/log', 0o600))).toBe('E-IO-001');
});

test('a closed file takes no more bytes', () => {
  const file = heldFolder().openAppend('log', 0o600);
  file.close();
  expect(codeOf(() => file.writeLine('late'))).toBe('E-IO-003');
});

test('a device is not a file to append to', () => {
  const root = heldFolder();
  const walker = new Walker('path', root.latch);
  expect(() => openAppend(walker, { fd: root.fd, path: '/dev' }, 'full', 0o600)).toThrow('not a regular file');
});

const built = new URL('../../dist/src/home/index.js', import.meta.url);

// Runs the built files, because the limit holds for a whole process. `npm test` builds first.
test.runIf(existsSync(built))(
  'a write the system cuts short is an error, and the next line starts on a fresh line',
  () => {
    const root = heldFolder();
    const script = `
    const { holdDirectory } = await import(process.argv[1]);
    const file = holdDirectory('.').openAppend('log', 0o600);
    try { file.writeLine('x'.repeat(5000)); } catch (error) { console.log(error.code); }
    (await import('node:fs')).truncateSync('log', 10);
    file.writeLine('next');`;
    const limited = `ulimit -f 4 && exec ${process.execPath} --input-type=module -e "$1" ${built.href}`;
    const output = execFileSync('bash', ['-c', limited, 'bash', script], { cwd: root.path, encoding: 'utf8' });
    expect(output).toBe('E-IO-003\n');
    expect(readFileSync(join(root.path, 'log'), 'utf8')).toBe('xxxxxxxxxx\nnext\n');
  },
);
