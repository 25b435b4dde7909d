import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { allowedCalls } from '../../../src/containment/seccomp/allowed.js';
import { allow, auditArch, errno, killProcess } from '../../../src/containment/seccomp/bpf.js';
import { type FilterOptions, filterProgram, seccompFilter } from '../../../src/containment/seccomp/filter.js';
import { type Architecture, type SyscallName, syscallNumber } from '../../../src/containment/seccomp/numbers.js';
import { simulate } from './simulate.js';

const [EPERM, EACCES, ENOSYS] = [1, 13, 38];
const architectures = ['x64', 'arm64'] as const;
const variants = architectures.flatMap((arch) =>
  [false, true].flatMap((unixSockets) => [false, true].map((noInet) => ({ arch, unixSockets, noInet }))),
);
const label = ({ arch, unixSockets, noInet }: FilterOptions) =>
  `${arch}${unixSockets ? ', unix sockets' : ''}${noInet ? ', no inet' : ''}`;

function answerTo(options: FilterOptions, number: number, ...values: readonly bigint[]): number {
  return simulate(filterProgram(options), { arch: auditArch[options.arch], number, arguments: values }).ret;
}
const numberOf = (name: SyscallName, arch: Architecture) => syscallNumber(name, arch)!;
const withRules: readonly SyscallName[] = ['memfd_create', 'clone', 'clone3', 'ioctl', 'socket', 'socketpair'];

describe.each(variants)('the filter for $arch, unix sockets $unixSockets, no inet $noInet', (options) => {
  const { arch } = options;
  const program = filterProgram(options);
  const ask = (number: number, ...values: readonly bigint[]) =>
    simulate(program, { arch: auditArch[arch], number, arguments: values });

  test('allows exactly the list among the numbers 0 to 699', () => {
    const listed = new Set(allowedCalls.map((name) => syscallNumber(name, arch)));
    const ruled = new Set(withRules.map((name) => syscallNumber(name, arch)));
    for (let number = 0; number < 700; number += 1) {
      if (ruled.has(number)) continue;
      expect([number, ask(number).ret]).toEqual([number, (listed.has(number) ? allow : errno(EPERM)).ret]);
    }
  });

  test('answers every family of socket by its own rule', () => {
    const unix = options.unixSockets ? allow : errno(EACCES);
    const inet = options.noInet ? errno(EACCES) : allow;
    const rule = new Map([
      [1, unix],
      [2, inet],
      [10, inet],
      [16, errno(EACCES)],
      [17, errno(EACCES)],
    ]);
    for (let family = 0; family < 64; family += 1) {
      const expected = (rule.get(family) ?? errno(EPERM)).ret;
      expect([family, ask(numberOf('socket', arch), BigInt(family), 1n).ret]).toEqual([family, expected]);
    }
  });

  test('makes pairs of sockets that stay with each other, and others only where the capsule may have unix sockets', () => {
    const closeOnExec = 0o2000000n;
    const [stream, datagram, raw, sequence] = [1n, 2n, 3n, 5n];
    for (const type of [stream, sequence])
      expect(ask(numberOf('socketpair', arch), 1n, type | closeOnExec).ret).toBe(allow.ret);
    for (const type of [datagram, raw]) {
      const expected = options.unixSockets ? allow : errno(EACCES);
      expect(ask(numberOf('socketpair', arch), 1n, type | closeOnExec).ret).toBe(expected.ret);
    }
  });

  test('ends a process that calls with the numbers of another instruction set', () => {
    for (const foreign of [0x4000_0003, 0x4000_0028, auditArch[arch === 'x64' ? 'arm64' : 'x64']]) {
      for (const number of [0, 1, 59, 400]) {
        expect(simulate(program, { arch: foreign, number }).ret).toBe(killProcess.ret);
      }
    }
    if (arch === 'x64') expect(ask(0x4000_0000 + 59).ret).toBe(killProcess.ret);
  });

  test('decides every number in a few steps', () => {
    let most = 0;
    for (let number = 0; number < 700; number += 1) most = Math.max(most, ask(number).steps);
    expect(most).toBeLessThanOrEqual(22);
    expect(program.length).toBeLessThan(300);
  });
});

describe.each(architectures)('argument rules on %s', (arch) => {
  const options = { arch, unixSockets: false, noInet: false };
  const ask = (name: SyscallName, ...values: readonly bigint[]) => answerTo(options, numberOf(name, arch), ...values);
  const flags = fc.bigInt(0n, (1n << 64n) - 1n);

  test('a memfd is made only when it can never be executed', () => {
    fc.assert(
      fc.property(flags, (value) => {
        expect(ask('memfd_create', 0n, value)).toBe(((value & 8n) === 8n ? allow : errno(EACCES)).ret);
      }),
    );
  });

  test('clone makes processes and threads, never a namespace', () => {
    const namespaces = [0x20000n, 0x2000000n, 0x4000000n, 0x8000000n, 0x10000000n, 0x20000000n, 0x40000000n];
    fc.assert(
      fc.property(flags, (value) => {
        const refused = namespaces.some((flag) => (value & flag) !== 0n);
        expect(ask('clone', value)).toBe((refused ? errno(EPERM) : allow).ret);
      }),
    );
    expect(ask('clone', 17n)).toBe(allow.ret); // fork: SIGCHLD
    expect(ask('clone', 0x3d0f00n)).toBe(allow.ret); // a thread of glibc
  });

  test('clone3 is told to be missing, so that libraries use clone', () => {
    expect(ask('clone3', 0n, 88n)).toBe(errno(ENOSYS).ret);
  });

  test('nothing types into a terminal, whatever the high half of the request is', () => {
    fc.assert(
      fc.property(fc.bigInt(0n, 0xffff_ffffn), fc.bigInt(0n, 0xffff_ffffn), (high, low) => {
        const refused = low === 0x5412n || low === 0x541cn;
        expect(ask('ioctl', 0n, (high << 32n) | low)).toBe((refused ? errno(EPERM) : allow).ret);
      }),
      {
        examples: [
          [0n, 0x5412n],
          [0n, 0x541cn],
          [1n, 0x5412n],
          [0xffff_ffffn, 0x541cn],
        ],
      },
    );
  });

  test('socket families are read as the kernel reads them, 32 bits wide', () => {
    expect(ask('socket', (7n << 32n) | 1n, 1n)).toBe(errno(EACCES).ret);
    expect(ask('socket', (7n << 32n) | 2n, 1n)).toBe(allow.ret);
  });
});

test('the bytes are the program, eight per instruction, little end first', () => {
  for (const options of variants) {
    const program = filterProgram(options);
    const bytes = seccompFilter(options);
    expect([label(options), bytes.length]).toEqual([label(options), program.length * 8]);
    const view = new DataView(bytes.buffer);
    for (const [index, { code, jt, jf, k }] of program.entries()) {
      expect(view.getUint16(index * 8, true)).toBe(code);
      expect([view.getUint8(index * 8 + 2), view.getUint8(index * 8 + 3)]).toEqual([jt, jf]);
      expect(view.getUint32(index * 8 + 4, true)).toBe(k);
    }
  }
});
