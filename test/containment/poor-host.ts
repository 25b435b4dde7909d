import { statSync } from 'node:fs';
import { allow, type Choice, compile, errno } from '../../src/containment/seccomp/bpf.js';
import { type Architecture, type SyscallName, syscallNumber } from '../../src/containment/seccomp/index.js';

/** The namespaces of clone(2), as a container's profile refuses them. */
export const cloneOfNamespaces: Choice = {
  argument: 0,
  tests: [{ kind: 'bits', value: 0x7e02_0000, answer: errno(1) }],
  otherwise: allow,
};

const arch = process.arch as Architecture;

/** Calls that mur itself never names: x86-64, arm64. */
const others = { pivot_root: [155, 41], sethostname: [170, 161] } as const;

function numberOf(name: SyscallName | keyof typeof others): number {
  if (name in others) return others[name as keyof typeof others][arch === 'x64' ? 0 : 1];
  return syscallNumber(name as SyscallName, arch)!;
}

/** Loads the filter it is handed and becomes the rest of its arguments. perl is on every Debian; nothing is compiled for it. */
const script = [
  'my $filter = pack("H*", shift);',
  'my $program = pack("S x6 P", length($filter) / 8, $filter);',
  `syscall(${syscallNumber('prctl', arch)}, 38, 1, 0, 0, 0) == 0 or die "prctl: $!";`,
  `syscall(${syscallNumber('seccomp', arch)}, 1, 0, $program) == 0 or die "seccomp: $!";`,
  'exec { $ARGV[0] } @ARGV or die "$ARGV[0]: $!";',
].join(' ');

/**
 * A command to put before another one: on this host, and without some system calls. Everything it starts is as poor. It sets
 * no_new_privs, which an unprivileged user has to.
 */
export function without(calls: Partial<Record<SyscallName | keyof typeof others, number | Choice>>): readonly string[] {
  const choices = new Map(
    Object.entries(calls).map(([name, answer]) => [
      numberOf(name as SyscallName),
      typeof answer === 'number' ? errno(answer) : answer!,
    ]),
  );
  const program = compile(arch, choices, allow);
  const bytes = Buffer.alloc(program.length * 8);
  for (const [index, { code, jt, jf, k }] of program.entries()) {
    bytes.writeUInt16LE(code, index * 8);
    bytes.writeUInt8(jt, index * 8 + 2);
    bytes.writeUInt8(jf, index * 8 + 3);
    bytes.writeUInt32LE(k, index * 8 + 4);
  }
  return ['/usr/bin/perl', '-e', script, bytes.toString('hex')];
}

export interface Mounts {
  /** Files and folders that are not there, or hold nothing and cannot be executed. */
  readonly hidden?: readonly string[];
  /** Folders below which nothing can be executed. */
  readonly noexec?: readonly string[];
  /** Files of the machine, and what is read in their place. */
  readonly instead?: Readonly<Record<string, string>>;
}

/**
 * A command to put before another one: on this host, with a mount table of its own. Somebody who is not root becomes root of a user
 * namespace for it.
 */
export function onMounts({ hidden = [], noexec = [], instead = {} }: Mounts): readonly string[] {
  const steps = [
    ...hidden.map((path) =>
      statSync(path).isDirectory() ? ['mount', '-t', 'tmpfs', 'none', path] : ['mount', '--bind', '/dev/null', path],
    ),
    ...noexec.flatMap((path) => [
      ['mount', '--bind', path, path],
      ['mount', '-o', 'remount,bind,noexec,nosuid,nodev', path],
    ]),
    ...Object.entries(instead).map(([path, source]) => ['mount', '--bind', source, path]),
  ];
  const script = [...steps.map((words) => words.map(quoted).join(' ')), 'exec "$@"'].join(' && ');
  const asRoot = process.getuid?.() === 0 ? [] : ['--map-root-user'];
  return ['/usr/bin/unshare', '--mount', ...asRoot, '--', '/bin/sh', '-c', script, 'sh'];
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
