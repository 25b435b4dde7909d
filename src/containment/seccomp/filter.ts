/**
 * The syscall filter of a contained command: which call gets which answer, and the classic BPF program that says so to the kernel.
 *
 * Everything not named is EPERM; what is refused for its arguments is EACCES, so that the two can be told apart, except where a
 * library would take that for something else (spec/containment.md 15). A call of another instruction set ends the process.
 *
 * Does not stop: anything done through an allowed call on something the command may open. Files are Landlock's, addresses the
 * network namespace's. Looks at numbers only: what a pointer refers to could change after the look.
 */
import { allowedCalls } from './allowed.js';
import { type Answer, allow, type Choice, compile, errno, type Instruction, type Test } from './bpf.js';
import { type Architecture, type SyscallName, syscallNumber } from './numbers.js';

export interface FilterOptions {
  readonly arch: Architecture;
  /** `capabilities.network.unix_sockets`: unix sockets may be created. */
  readonly unixSockets: boolean;
  /** There is no network namespace, so internet sockets are refused at their creation (spec/containment.md 14.1). */
  readonly noInet: boolean;
}

const EPERM = 1;
const EACCES = 13;
const ENOSYS = 38;

/** `CLONE_NEW*` of clone(2); CLONE_NEWTIME shares a bit with the exit signal and exists in clone3 and unshare only. */
const namespaceFlags = 0x7e02_0000;
/** memfd_create(2): the file can never be executed. */
const MFD_NOEXEC_SEAL = 0x8;
/** Types into a terminal: ioctl_tty(2), and the console's own way of doing it. */
const TIOCSTI = 0x5412;
const TIOCLINUX = 0x541c;

/** In the number of every type of socket that knows no connection: SOCK_DGRAM, SOCK_RAW. Not of SOCK_STREAM and SOCK_SEQPACKET. */
const connectionless = 2;

const family = { unix: 1, inet: 2, inet6: 10, netlink: 16, packet: 17 } as const;

/** The filter as the kernel takes it, `struct sock_filter` by `struct sock_filter`. */
export function seccompFilter(options: FilterOptions): Uint8Array {
  return encode(filterProgram(options));
}

/** The same filter before it is encoded. */
export function filterProgram(options: FilterOptions): readonly Instruction[] {
  const choices = new Map<number, Choice>();
  const say = (name: SyscallName, choice: Choice): void => {
    const number = syscallNumber(name, options.arch);
    if (number !== undefined) choices.set(number, choice);
  };
  for (const name of allowedCalls) say(name, allow);
  say('memfd_create', when(1, [{ kind: 'bits', value: MFD_NOEXEC_SEAL, answer: allow }], errno(EACCES)));
  say('clone', when(0, [{ kind: 'bits', value: namespaceFlags, answer: errno(EPERM) }], allow));
  // Its flags are behind a pointer. Libraries take this answer for an old kernel and use clone.
  say('clone3', errno(ENOSYS));
  say(
    'ioctl',
    when(
      1,
      [TIOCSTI, TIOCLINUX].map((value) => ({ kind: 'equal', value, answer: errno(EPERM) })),
      allow,
    ),
  );
  say('socket', when(0, families(options), errno(EPERM)));
  // A pair of datagrams can be connected anew, to any socket of the host that has a path: a unix socket by another name.
  if (!options.unixSockets) {
    say('socketpair', when(1, [{ kind: 'bits', value: connectionless, answer: errno(EACCES) }], allow));
  }
  return compile(options.arch, choices, errno(EPERM));
}

function families({ unixSockets, noInet }: FilterOptions): readonly Test[] {
  const inet = noInet ? errno(EACCES) : allow;
  const answers: readonly (readonly [number, Answer])[] = [
    [family.unix, unixSockets ? allow : errno(EACCES)],
    [family.inet, inet],
    [family.inet6, inet],
    [family.netlink, errno(EACCES)],
    [family.packet, errno(EACCES)],
  ];
  return answers.map(([value, answer]) => ({ kind: 'equal', value, answer }));
}

function when(argument: number, tests: readonly Test[], otherwise: Answer): Choice {
  return { argument, tests, otherwise };
}

function encode(program: readonly Instruction[]): Uint8Array {
  const bytes = new Uint8Array(program.length * 8);
  const view = new DataView(bytes.buffer);
  for (const [index, { code, jt, jf, k }] of program.entries()) {
    view.setUint16(index * 8, code, true);
    view.setUint8(index * 8 + 2, jt);
    view.setUint8(index * 8 + 3, jf);
    view.setUint32(index * 8 + 4, k, true);
  }
  return bytes;
}
