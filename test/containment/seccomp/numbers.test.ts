import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { allowedCalls } from '../../../src/containment/seccomp/allowed.js';
import { syscallNames, syscallNumber } from '../../../src/containment/seccomp/numbers.js';

/** spec/containment.md 15: must never be allowed. */
const never =
  `io_uring_setup io_uring_enter io_uring_register bpf userfaultfd perf_event_open process_vm_readv process_vm_writev 
open_by_handle_at keyctl add_key request_key ptrace mount umount2 pivot_root chroot unshare setns init_module 
finit_module delete_module kexec_load kexec_file_load reboot swapon swapoff acct quotactl nfsservctl iopl ioperm 
_sysctl sysfs uselib create_module get_kernel_syms query_module lookup_dcookie clock_adjtime clock_settime 
settimeofday adjtimex set_mempolicy get_mempolicy mbind migrate_pages move_pages fanotify_init fanotify_mark seccomp 
personality kcmp open_tree move_mount fsopen fsconfig fsmount fspick mount_setattr landlock_create_ruleset 
landlock_add_rule landlock_restrict_self`.split(/\s+/);

/** Newer than the headers of some hosts that run this. */
const newer: Readonly<Record<string, number>> = { fchmodat2: 452 };

test('no call that reaches another process, a mount, a namespace or the kernel is on the list', () => {
  const listed = new Set<string>(allowedCalls);
  expect(never.filter((name) => listed.has(name))).toEqual([]);
  expect(listed.size).toBe(allowedCalls.length);
});

const headers = {
  x64: { file: '/usr/include/x86_64-linux-gnu/asm/unistd_64.h', source: '#include <asm/unistd_64.h>' },
  arm64: {
    file: '/usr/include/asm-generic/unistd.h',
    source: [
      '#include <asm/bitsperlong.h>',
      '#define __ARCH_WANT_RENAMEAT',
      '#define __ARCH_WANT_NEW_STAT',
      '#define __ARCH_WANT_SET_GET_RLIMIT',
      '#define __ARCH_WANT_SYS_CLONE3',
      '#include <asm-generic/unistd.h>',
    ].join('\n'),
  },
};

describe.each(['x64', 'arm64'] as const)('numbers of %s', (arch) => {
  const { file, source } = headers[arch];
  test.runIf(process.arch === 'x64' && existsSync(file) && existsSync('/usr/bin/cpp'))(
    'are those of the headers',
    () => {
      const defined = definitions(source);
      for (const name of syscallNames) {
        expect([name, syscallNumber(name, arch)]).toEqual([name, defined.get(name) ?? newer[name]]);
      }
    },
  );

  test('are all different', () => {
    const present = syscallNames.flatMap((name) => syscallNumber(name, arch) ?? []);
    expect(new Set(present).size).toBe(present.length);
  });
});

function definitions(source: string): ReadonlyMap<string, number> {
  const text = execFileSync('/usr/bin/cpp', ['-dM'], { input: source, encoding: 'utf8' });
  const raw = new Map([...text.matchAll(/^#define (__NR\w+)\s+(\S+)$/gm)].map(([, name, value]) => [name!, value!]));
  const numbers = new Map<string, number>();
  for (const [name, value] of raw) {
    const number = Number(raw.get(value) ?? value);
    if (Number.isInteger(number)) numbers.set(name.replace(/^__NR(?:3264)?_/, ''), number);
  }
  return numbers;
}
