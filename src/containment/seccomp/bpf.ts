/**
 * Classic BPF for seccomp: from a table of answers by call number to a program that finds the answer by halving. A straight list of
 * comparisons would run a hundred and fifty of them for the last call, before every such call.
 */
import type { Architecture } from './numbers.js';

/** One `struct sock_filter` of linux/filter.h. */
export interface Instruction {
  readonly code: number;
  readonly jt: number;
  readonly jf: number;
  readonly k: number;
}

/** What the kernel does with a call: a `SECCOMP_RET_*` value. */
export interface Answer {
  readonly ret: number;
}

/** One look at the low half of an argument. All arguments looked at are 32 bits wide to the kernel. */
export interface Test {
  readonly kind: 'equal' | 'bits';
  readonly value: number;
  readonly answer: Answer;
}

/** An answer, or the first test of one argument that holds. */
export type Choice =
  | Answer
  | { readonly argument: number; readonly tests: readonly Test[]; readonly otherwise: Answer };

export const allow: Answer = { ret: 0x7fff_0000 };
export const killProcess: Answer = { ret: 0x8000_0000 };
export function errno(number: number): Answer {
  return { ret: 0x0005_0000 | number };
}

/** linux/filter.h: what the program uses of the instruction set. */
export const opcode = {
  loadWord: 0x20,
  jumpEqual: 0x15,
  jumpAtLeast: 0x35,
  jumpBits: 0x45,
  jump: 0x05,
  ret: 0x06,
} as const;
/** `struct seccomp_data`. */
export const dataOffset = { number: 0, arch: 4, arguments: 16 } as const;
/** linux/audit.h */
export const auditArch: Readonly<Record<Architecture, number>> = { x64: 0xc000_003e, arm64: 0xc000_00b7 };

/** Set in the number of every call of the x32 instruction set, which has the architecture of x86-64. */
const x32Bit = 0x4000_0000;
/** A conditional jump is one byte wide. */
const farthest = 255;

/** A program that gives each number its choice, every other number of the architecture `otherwise`, and ends a foreign process. */
export function compile(
  arch: Architecture,
  choices: ReadonlyMap<number, Choice>,
  otherwise: Answer,
): readonly Instruction[] {
  return [
    load(dataOffset.arch),
    { code: opcode.jumpEqual, jt: 1, jf: 0, k: auditArch[arch] },
    ret(killProcess),
    load(dataOffset.number),
    ...(arch === 'x64' ? [{ code: opcode.jumpAtLeast, jt: 0, jf: 1, k: x32Bit }, ret(killProcess)] : []),
    ...search(segments(choices, otherwise)),
  ];
}

/** Numbers from `from` up to the next segment's. */
interface Segment {
  readonly from: number;
  readonly choice: Choice;
}

function segments(choices: ReadonlyMap<number, Choice>, otherwise: Answer): readonly Segment[] {
  const all: Segment[] = [{ from: 0, choice: otherwise }];
  const put = (from: number, choice: Choice): void => {
    const last = all.at(-1)!;
    if (last.from === from) all.pop();
    const before = all.at(-1);
    if (before === undefined || !same(before.choice, choice)) all.push({ from, choice });
  };
  for (const number of [...choices.keys()].sort((a, b) => a - b)) {
    put(number, choices.get(number)!);
    put(number + 1, otherwise);
  }
  return all;
}

function same(a: Choice, b: Choice): boolean {
  return 'ret' in a && 'ret' in b && a.ret === b.ret;
}

function search(range: readonly Segment[]): readonly Instruction[] {
  const [only] = range;
  if (range.length === 1) return decide(only!.choice);
  const middle = range.length >> 1;
  const below = search(range.slice(0, middle));
  const above = search(range.slice(middle));
  const k = range[middle]!.from;
  if (below.length <= farthest) return [{ code: opcode.jumpAtLeast, jt: below.length, jf: 0, k }, ...below, ...above];
  const across = { code: opcode.jump, jt: 0, jf: 0, k: below.length };
  return [{ code: opcode.jumpAtLeast, jt: 0, jf: 1, k }, across, ...below, ...above];
}

function decide(choice: Choice): readonly Instruction[] {
  if ('ret' in choice) return [ret(choice)];
  return [
    load(dataOffset.arguments + 8 * choice.argument),
    ...choice.tests.flatMap(({ kind, value, answer }) => [
      { code: kind === 'equal' ? opcode.jumpEqual : opcode.jumpBits, jt: 0, jf: 1, k: value },
      ret(answer),
    ]),
    ret(choice.otherwise),
  ];
}

function load(offset: number): Instruction {
  return { code: opcode.loadWord, jt: 0, jf: 0, k: offset };
}

function ret(answer: Answer): Instruction {
  return { code: opcode.ret, jt: 0, jf: 0, k: answer.ret };
}
