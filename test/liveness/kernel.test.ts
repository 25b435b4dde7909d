import { execFileSync } from 'node:child_process';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { lookOnLinux } from '../../src/home/index.js';
import { processState, startToken } from '../../src/liveness/index.js';
import { systemKernel } from '../../src/liveness/kernel.js';
import { lookOnMac } from '../../src/liveness/macos.js';
import { temporaryFolder } from '../home/temporary.js';
import { kernel, startProcess } from './fixture.js';

const between = Array.from({ length: 18 }, (_, index) => String(index + 4)).join(' ');
const stat = (name: string, state = 'S') => `1234 (${name}) ${state} ${between} 987654 23 24\n`;

describe('a process on Linux', () => {
  test.each(['sleep', 'a) (b c', ') (', ')', '(((', ' ', '\u00ff\u00a0'])('is read whatever its name: %j', (name) => {
    expect(lookOnLinux(1, () => stat(name))).toEqual({ zombie: false, startToken: '987654' });
    expect(lookOnLinux(1, () => stat(name, 'Z'))).toEqual({ zombie: true, startToken: '987654' });
  });

  test('is unreadable where /proc is: missing, hidden, or not ours to read', () => {
    expect(
      lookOnLinux(1, () => {
        throw new Error('EACCES');
      }),
    ).toBeUndefined();
    expect(lookOnLinux(1, () => '')).toBeUndefined();
    expect(lookOnLinux(1, () => '1234 sleep S 1 2 3')).toBeUndefined();
  });

  test('has no start when its line is cut before the end of field 22: a part of a number is another number', () => {
    const line = stat('sleep');
    const end = line.indexOf(' 23 24');
    fc.assert(
      fc.property(fc.integer({ min: 0, max: end }), (length) => {
        expect(lookOnLinux(1, () => line.slice(0, length))?.startToken).toBeUndefined();
      }),
    );
    expect(lookOnLinux(1, () => line.slice(0, end + 1))?.startToken).toBe('987654');
  });

  test.runIf(process.platform === 'linux')('is read when its real name holds parentheses and spaces', async () => {
    const odd = join(temporaryFolder(), 'x) (S 1 2');
    copyFileSync(execFileSync('which', ['sleep'], { encoding: 'utf8' }).trim(), odd);
    const running = await startProcess(odd);
    expect(startToken(running.pid)).toMatch(/^\d+$/);
    expect(processState(running)).toEqual({ verdict: 'Alive' });
  });

  test('whose /proc cannot be read is Unverified', () => {
    const hidden = kernel({ look: (pid) => lookOnLinux(pid, () => '') });
    expect(processState({ pid: process.pid, process_start: '1' }, { kernel: hidden })).toEqual({
      verdict: 'Unverified',
      reason: `pid ${process.pid}'s start time could not be read`,
    });
  });
});

describe('a process on macOS', () => {
  const info =
    (fill: { status?: number; seconds?: bigint; microseconds?: bigint }, written = 136, errno = 0) =>
    (_: number, buffer: Buffer) => {
      buffer.writeUInt32LE(fill.status ?? 2, 4);
      buffer.writeBigUInt64LE(fill.seconds ?? 1_700_000_000n, 120);
      buffer.writeBigUInt64LE(fill.microseconds ?? 42n, 128);
      return { written, errno };
    };

  test('has its start as seconds and six digits of microseconds', () => {
    expect(lookOnMac(1, info({}))).toEqual({ zombie: false, startToken: '1700000000.000042' });
  });

  test('is a zombie when the kernel says so, or refuses to describe it with ESRCH', () => {
    expect(lookOnMac(1, info({ status: 5 }))?.zombie).toBe(true);
    expect(lookOnMac(1, info({}, 0, 3))).toEqual({ zombie: true, startToken: undefined });
  });

  test('is unreadable when anything else comes back', () => {
    expect(lookOnMac(1, info({}, 0, 1))).toBeUndefined();
    expect(lookOnMac(1, info({}, -1, 22))).toBeUndefined();
    expect(lookOnMac(1, info({}, 132))).toBeUndefined();
    expect(lookOnMac(1, undefined)).toBeUndefined();
    expect(
      lookOnMac(1, () => {
        throw new Error('no such symbol');
      }),
    ).toBeUndefined();
    expect(lookOnMac(1, info({ seconds: 0n }))?.startToken).toBeUndefined();
    expect(lookOnMac(1, info({ microseconds: 1_000_000n }))?.startToken).toBeUndefined();
  });
});

test('the system signals and looks at real processes', async () => {
  const { pid } = await startProcess();
  expect(() => systemKernel.kill(pid, 0)).not.toThrow();
  expect(systemKernel.look(pid)).toMatchObject({ zombie: false });
});
