import { execFileSync, spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { namelessFile } from '../../src/containment/player.js';
import { assemble, memory, type Op, readReport, startOp, text, texts } from '../../src/containment/program.js';
import {
  type Architecture,
  isSupported,
  type SyscallName,
  syscallNumber,
} from '../../src/containment/seccomp/index.js';
import { stubCode, stubImage, writeStub } from '../../src/containment/stub.js';

const folder = mkdtempSync(join(tmpdir(), 'mur-stub-'));
afterAll(() => rmSync(folder, { recursive: true }));

const assemblers = { x64: ['as', 'objcopy'], arm64: ['aarch64-linux-gnu-as', 'aarch64-linux-gnu-objcopy'] } as const;
const has = (program: string) => spawnSync(program, ['--version']).error === undefined;
const canAssemble = (arch: Architecture) =>
  (arch === 'arm64' || process.arch === 'x64') && assemblers[arch].every((program) => has(program));

describe.each(['x64', 'arm64'] as const)('the stub for %s', (arch) => {
  test.runIf(canAssemble(arch))('is what its source assembles to', () => {
    const [as, objcopy] = assemblers[arch];
    const [object, binary] = [join(folder, `${arch}.o`), join(folder, `${arch}.bin`)];
    execFileSync(as, ['-o', object, resolve(import.meta.dirname, `../../src/containment/stub-${arch}.S`)]);
    execFileSync(objcopy, ['-O', 'binary', '-j', '.text', object, binary]);
    expect(Buffer.from(stubCode(arch)).toString('hex')).toBe(
      execFileSync('od', ['-An', '-v', '-tx1', binary], { encoding: 'utf8' }).replace(/\s/g, ''),
    );
  });

  test('is small, starts at its code, and maps nothing writable', () => {
    const image = stubImage(arch);
    const view = new DataView(image.buffer);
    expect(image.length).toBe(120 + stubCode(arch).length);
    expect(image.length).toBeLessThan(300);
    expect(view.getBigUint64(24, true)).toBe(0x400000n + 120n);
    expect(view.getUint32(68, true)).toBe(5);
  });
});

/** Where the stub of another architecture runs, by emulation of its user space alone. */
const runners: readonly { readonly arch: Architecture; readonly through: readonly string[] }[] = [
  ...(process.platform === 'linux' && isSupported(process.arch) ? [{ arch: process.arch, through: [] }] : []),
  ...(process.arch === 'x64' && has('qemu-aarch64') ? [{ arch: 'arm64' as const, through: ['qemu-aarch64'] }] : []),
];

describe.each(runners)('the stub of $arch', ({ arch, through }) => {
  const path = join(folder, `stub-${arch}`);
  writeStub(path, arch);
  const call = (name: SyscallName) => syscallNumber(name, arch)!;
  const op = (name: SyscallName, args: Op['arguments'], rest: Partial<Op> = {}): Op => ({
    step: name,
    number: call(name),
    arguments: args,
    ...rest,
  });
  const exit = (status: number) => op('exit_group', [status]);
  const play = (ops: readonly Op[]) => {
    const program = namelessFile(assemble(ops), folder);
    const [file, ...args] = [...through, path];
    const ended = spawnSync(file!, args, { stdio: ['ignore', 'pipe', 'pipe', program, 'pipe'] });
    closeSync(program);
    const report = readReport(ended.output[4] as unknown as Uint8Array, ops);
    return { status: ended.status, out: ended.stdout.toString(), report };
  };
  const start = startOp(call('write'));
  const write = (message: string) => op('write', [1, memory(Buffer.from(message)), message.length]);

  test('makes the calls of a program in their order', () => {
    expect(play([start, write('one '), write('two'), exit(7)])).toEqual({
      status: 7,
      out: 'one two',
      report: { kind: 'started' },
    });
  });

  test('executes another program with its arguments and environment', () => {
    const arguments_ = [
      text('/bin/sh'),
      texts(['sh', '-c', 'echo "$0 $1 $WORD"; exit 3', 'a', 'b c']),
      texts(['WORD=é']),
    ];
    if (through.length > 0) return; // The emulator would execute a program of this machine.
    expect(play([start, op('execve', arguments_)])).toEqual({
      status: 3,
      out: 'a b c é\n',
      report: { kind: 'started' },
    });
  });

  test('stops at the first failure, with the number of the step and the errno', () => {
    const ended = play([start, op('chdir', [text('/nowhere')], { step: 'chdir' }), write('no'), exit(0)]);
    expect(ended).toEqual({
      status: 125,
      out: '',
      report: { kind: 'failed', step: 'chdir', errno: 2, buildsRoot: false },
    });
  });

  test('goes on after a failure that may be', () => {
    const ended = play([start, op('chdir', [text('/nowhere')], { onFailure: 'ignore' }), write('yes'), exit(0)]);
    expect(ended).toEqual({ status: 0, out: 'yes', report: { kind: 'started' } });
  });

  test('leaves out the op after a failure that says so, and makes it after a success', () => {
    const maybe = (path: string) => op('chdir', [text(path)], { onFailure: 'skip-next' });
    const ended = play([start, maybe('/nowhere'), write('1'), write('2'), maybe('/'), write('3'), exit(0)]);
    expect(ended.out).toBe('23');
  });

  test('hands the result of one call to another', () => {
    const cell = memory(4);
    const ended = play([
      start,
      op('dup', [1], { store: { into: cell, at: 0 } }),
      op('write', [cell, memory(Buffer.from('copy')), 4], { firstIsStored: true }),
      exit(0),
    ]);
    expect(ended).toMatchObject({ status: 0, out: 'copy' });
  });

  test('does nothing with a descriptor that holds no program', () => {
    const program = namelessFile(new Uint8Array(4096), folder);
    const [file, ...args] = [...through, path];
    const ended = spawnSync(file!, args, { stdio: ['ignore', 'pipe', 'pipe', program, 'pipe'] });
    closeSync(program);
    expect([ended.status, ended.stdout.length]).toEqual([125, 0]);
  });
});
