import type { Instruction } from '../../../src/containment/seccomp/bpf.js';

export interface Call {
  readonly arch: number;
  readonly number: number;
  readonly arguments?: readonly bigint[];
}

/** What the kernel's interpreter of classic BPF returns for a call, with the instructions it took. Written from linux/filter.h. */
export function simulate(
  program: readonly Instruction[],
  call: Call,
): { readonly ret: number; readonly steps: number } {
  const data = new DataView(new ArrayBuffer(64));
  data.setUint32(0, call.number, true);
  data.setUint32(4, call.arch, true);
  for (const [index, value] of (call.arguments ?? []).entries()) data.setBigUint64(16 + 8 * index, value, true);
  let accumulator = 0;
  for (let at = 0, steps = 1; ; at += 1, steps += 1) {
    const instruction = program[at];
    if (instruction === undefined) throw new Error(`the program runs past its end at ${at}`);
    const { code, jt, jf, k } = instruction;
    const jump = (condition: boolean): void => {
      at += condition ? jt : jf;
    };
    switch (code) {
      case 0x20: // BPF_LD | BPF_W | BPF_ABS
        accumulator = data.getUint32(k, true);
        break;
      case 0x15: // BPF_JMP | BPF_JEQ | BPF_K
        jump(accumulator === k);
        break;
      case 0x35: // BPF_JMP | BPF_JGE | BPF_K
        jump(accumulator >= k);
        break;
      case 0x45: // BPF_JMP | BPF_JSET | BPF_K
        jump((accumulator & k) !== 0);
        break;
      case 0x05: // BPF_JMP | BPF_JA
        at += k;
        break;
      case 0x06: // BPF_RET | BPF_K
        return { ret: k, steps };
      default:
        throw new Error(`no such instruction: ${code}`);
    }
  }
}
