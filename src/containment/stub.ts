/**
 * The stub: a static program of 168 bytes of machine code (172 on arm64) that plays a launch program. It is written out by this file,
 * so nothing is compiled where mur is installed, and nothing of Node has to be reachable inside a sandbox. The code is assembled from
 * stub-x64.S and stub-arm64.S, which say what it does; test/containment/stub.test.ts assembles them again and compares.
 */
import { chmodSync, writeFileSync } from 'node:fs';
import type { Architecture } from './seccomp/index.js';

const code: Readonly<Record<Architecture, string>> = {
  x64:
    'b809000000bf00000070be00004000ba0300000041ba1200000041b8030000004531c90f05bb000000704839d8756d81' +
    '3b4d554c3175654883c340488b7b10f6430401740348633f488b7318488b53204c8b53284c8b43304c8b4b388b030f05' +
    '8b4b0885c974028901483d01f0ffff72c6f643040275c0f643040474064883c340ebb4f7d8894308b801000000bf0400' +
    '00004889deba100000000f05b8e7000000bf7d0000000f05',
  arm64:
    'c81b80d20000aed20108a0d2620080d2430280d2640080d2050080d2010000d41300aed21f0013ebc1030054690240b9' +
    'aaa98a528a29a6723f010a6b2103005473020191600641a9620e42a9641643a9682a40294a000036000080b9010000d4' +
    '690a40b949000034200100b91ffc3fb183feff546afe0f376a00103673020191f0ffff17e003004b600a00b9080880d2' +
    '800080d2e10313aa020280d2010000d4c80b80d2a00f80d2010000d4',
};

/** elf.h: `e_machine`. */
const machine: Readonly<Record<Architecture, number>> = { x64: 62, arm64: 183 };

const loadAddress = 0x40_0000;
const fileHeaderBytes = 64;
const programHeaderBytes = 56;
const codeAt = fileHeaderBytes + programHeaderBytes;

/** The machine code alone. */
export function stubCode(arch: Architecture): Uint8Array {
  return Buffer.from(code[arch], 'hex');
}

/** The stub as an executable file: an ELF header, one segment that can be read and executed, and the code (elf(5)). */
export function stubImage(arch: Architecture): Uint8Array {
  const instructions = stubCode(arch);
  const size = codeAt + instructions.length;
  const bytes = new Uint8Array(size);
  const view = new DataView(bytes.buffer);
  bytes.set([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1]); // magic, 64 bits, little end first, version 1
  view.setUint16(16, 2, true); // e_type: ET_EXEC
  view.setUint16(18, machine[arch], true);
  view.setUint32(20, 1, true); // e_version
  view.setBigUint64(24, BigInt(loadAddress + codeAt), true); // e_entry
  view.setBigUint64(32, BigInt(fileHeaderBytes), true); // e_phoff
  view.setUint16(52, fileHeaderBytes, true);
  view.setUint16(54, programHeaderBytes, true);
  view.setUint16(56, 1, true); // e_phnum
  view.setUint32(64, 1, true); // p_type: PT_LOAD
  view.setUint32(68, 5, true); // p_flags: read, execute
  view.setBigUint64(80, BigInt(loadAddress), true); // p_vaddr
  view.setBigUint64(88, BigInt(loadAddress), true); // p_paddr
  view.setBigUint64(96, BigInt(size), true); // p_filesz
  view.setBigUint64(104, BigInt(size), true); // p_memsz
  view.setBigUint64(112, 0x1_0000n, true); // p_align: the largest page of arm64
  bytes.set(instructions, codeAt);
  return bytes;
}

/** Writes the stub to `path`, which must be new and on a mount that is not noexec. */
export function writeStub(path: string, arch: Architecture): void {
  writeFileSync(path, stubImage(arch), { mode: 0o555, flag: 'wx' });
  // Whatever the umask: root in a user namespace is not the owner of files of others.
  chmodSync(path, 0o555);
}
