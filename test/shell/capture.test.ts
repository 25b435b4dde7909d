import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type HeldDirectory, holdDirectory } from '../../src/home/index.js';
import { Capture, LogFolder, outputLimitBytes, shellLogStem, writeLog } from '../../src/shell/index.js';

let root: string;
let records: HeldDirectory;
let logs: LogFolder;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'mur-capture-'));
  records = holdDirectory(root);
  logs = new LogFolder(records);
});
afterEach(() => {
  logs.close();
  records.close();
  rmSync(root, { recursive: true });
});

const spool = () => logs.spool();
const captured = async (chunks: readonly Uint8Array[], options = {}) => {
  const capture = new Capture(Readable.from(chunks.map((chunk) => Buffer.from(chunk))), { spool, ...options });
  await capture.finish();
  return capture;
};
const written = async (stdout: Capture, stderr: Capture, stem = 'shell-1') => {
  const log = await writeLog(logs, stem, { name: 'tool', args: ['a', 'b c'], exitCode: 3 }, { stdout, stderr });
  for (const each of [stdout, stderr]) await each.release();
  return log;
};

describe('truncation (spec/shell.md 5.1)', () => {
  test('exactly 16384 bytes are not truncated, one more is', async () => {
    expect(outputLimitBytes).toBe(16384);
    const whole = await captured([Buffer.alloc(16384, 'a')]);
    const longer = await captured([Buffer.alloc(16384, 'a'), Buffer.from('b')]);
    expect([whole.isLong, longer.isLong]).toEqual([false, true]);
    expect(longer.text).toBe('a'.repeat(16384));
    await longer.release();
  });

  test('the limit is one of raw bytes: a character cut in two shows as replaced, and so do bytes that are none', async () => {
    const capture = await captured([Buffer.alloc(16383, 'a'), Buffer.from('é')]);
    expect(capture.text).toBe(`${'a'.repeat(16383)}\ufffd`);
    await capture.release();
    expect((await captured([Uint8Array.of(0x61, 0xff, 0x62)])).text).toBe('a\ufffdb');
  });

  test('the log holds every byte, however it came in pieces', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 12 }),
        fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 12 }),
        fc.integer({ min: 1, max: 64 }),
        async (out, err, keepBytes) => {
          const [stdout, stderr] = [await captured(out, { keepBytes }), await captured(err, { keepBytes })];
          const whole = Buffer.concat(out);
          expect(stdout.bytes).toEqual(whole.subarray(0, keepBytes));
          expect([stdout.totalBytes, stdout.isLong]).toEqual([whole.length, whole.length > keepBytes]);
          const { path, sizeBytes } = await written(stdout, stderr);
          const expected = Buffer.concat([
            Buffer.from('Command: tool a b c\nExit code: 3\n\nStdout:\n'),
            whole,
            Buffer.from('\n\nStderr:\n'),
            ...err,
          ]);
          expect(readFileSync(path).equals(expected)).toBe(true);
          expect(sizeBytes).toBe(expected.length);
        },
      ),
      { numRuns: 30 },
    );
  });

  test('200 MB take no memory and are all in the log', async () => {
    const chunk = Buffer.alloc(1024 * 1024, 'x');
    function* many() {
      for (let each = 0; each < 200; each += 1) yield chunk;
    }
    const before = process.memoryUsage().arrayBuffers;
    const capture = new Capture(Readable.from(many()), { spool });
    await capture.finish();
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(50 * 1024 * 1024);
    expect((await written(capture, await captured([]))).sizeBytes).toBeGreaterThan(200 * 1024 * 1024);
  });

  test('what is beyond the limit of a log is counted', async () => {
    const capture = await captured([Buffer.from('abcdef')], { keepBytes: 1, spoolLimitBytes: 4 });
    expect(readFileSync((await written(capture, await captured([]))).path, 'utf8')).toContain(
      'abcd\n[2 more bytes were not kept]',
    );
  });
});

describe('a stream', () => {
  test('that never ends is given up once its process has ended and it is silent', async () => {
    const stream = new PassThrough();
    const capture = new Capture(stream);
    stream.write('said');
    await capture.finish();
    expect([capture.text, stream.destroyed]).toEqual(['said', true]);
  });

  test('that breaks keeps what it said', async () => {
    const stream = new PassThrough();
    const capture = new Capture(stream);
    stream.write('said');
    await new Promise(setImmediate);
    stream.destroy(new Error('EIO'));
    await capture.finish();
    expect(capture.text).toBe('said');
  });

  test('is read to its end when its output cannot be kept, and its log fails', async () => {
    const capture = await captured([Buffer.from('abc'), Buffer.from('def')], {
      keepBytes: 2,
      spool: () => Promise.reject(new Error('ENOSPC: no space left on device')),
    });
    expect([capture.totalBytes, capture.failure]).toEqual([6, 'ENOSPC: no space left on device']);
    await expect(captured([]).then((empty) => written(capture, empty))).rejects.toThrow('lacks output: ENOSPC');
  });

  test('tells once that it is longer than what is kept', async () => {
    let told = 0;
    const onOverflow = () => {
      told += 1;
    };
    await captured(['ab', 'cd', 'ef'].map(Buffer.from as (text: string) => Buffer), { keepBytes: 3, onOverflow });
    expect(told).toBe(1);
  });
});

describe('log files (spec/shell.md 5.1)', () => {
  test('two of one millisecond have two names, and none replaces what is there', async () => {
    const stem = shellLogStem(1_700_000_000_000);
    writeFileSync(join(root, 'logs', `${stem}.log`), 'kept');
    symlinkSync('elsewhere', join(root, 'logs', `${stem}-2.log`));
    const made = await Promise.all([logs.create(stem), logs.create(stem)]);
    for (const { file } of made) await file.close();
    expect(made.map(({ path }) => path).sort()).toEqual(
      [3, 4].map((serial) => join(root, 'logs', `${stem}-${serial}.log`)),
    );
    expect(readFileSync(join(root, 'logs', `${stem}.log`), 'utf8')).toBe('kept');
    expect(statSync(made[0]!.path).mode & 0o777).toBe(0o600);
    expect(statSync(join(root, 'logs')).mode & 0o777).toBe(0o700);
  });

  test('an open spool has no name', async () => {
    const file = await logs.spool();
    expect(readdirSync(join(root, 'logs'))).toEqual([]);
    await file.close();
  });
});
