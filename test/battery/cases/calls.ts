import { type Case, rows } from '../case.js';

const filter = 'the syscall filter';
const { refused } = rows('escape-cases 2');

const registry: readonly Case[] = [
  refused(
    'syscall-io-uring-setup',
    'io_uring_setup',
    { EPERM: `${filter}; EFAULT would mean permitted` },
    `return call('io_uring_setup', 1, 0)`,
  ),
  refused(
    'syscall-userfaultfd',
    'userfaultfd',
    { EPERM: `${filter}; vm.unprivileged_userfaultfd=0 would say the same to a user who is not root` },
    `return call('userfaultfd', 0)`,
  ),
  refused(
    'syscall-bpf',
    'bpf',
    { EPERM: `${filter}; a missing CAP_BPF would say the same` },
    `return call('bpf', 0, 0, 0)`,
  ),
  refused(
    'syscall-open-by-handle-at',
    'open_by_handle_at',
    { EPERM: `${filter}; a missing CAP_DAC_READ_SEARCH would say the same` },
    `return call('open_by_handle_at', -100, 0, 0)`,
  ),
  refused(
    'syscall-perf-event-open',
    'perf_event_open',
    { EPERM: `${filter}; perf_event_paranoid would be EACCES, and EFAULT would mean permitted` },
    `return call('perf_event_open', 0, 0, -1, -1, 0)`,
  ),
  refused(
    'syscall-keyctl',
    'keyctl and add_key',
    { EPERM: filter },
    `return each(['keyctl', 'add_key'], lambda n: call(n, 0, -3, 0, 0, 0))`,
  ),
];

const design = rows('design, battery');

const other: readonly Case[] = [
  design.refused(
    'syscall-kernel-tables',
    'kcmp, init_module, reboot, swapon, acct, quotactl, sethostname, syslog, Landlock and seccomp',
    { EPERM: `${filter}; missing capabilities would say the same to some` },
    `return each(['kcmp', 'init_module', 'reboot', 'swapon', 'acct', 'quotactl', 'sethostname', 'settimeofday', 'syslog', 'landlock_restrict_self', 'seccomp'], lambda n: call(n, 0, 0, 0, 0, 0))`,
  ),
  rows('escape-cases 12').refused(
    'namespace-flags-clone',
    'clone with CLONE_NEWUSER|CLONE_NEWNS, and with each namespace flag',
    { EPERM: `${filter} on the flags` },
    `
def make(flags):
    pid = call('clone', flags | 17, 0, 0, 0, 0)
    if pid == 0: os._exit(0)
    os.waitpid(pid, 0)
return each([0x10020000, 0x10000000, 0x20000, 0x4000000, 0x8000000, 0x20000000, 0x40000000, 0x2000000], make)`,
  ),
  rows('escape-cases 12').refused(
    'namespace-flags-clone3',
    'clone3, whose flags a filter cannot see',
    { ENOSYS: `${filter}; libraries fall back to clone` },
    `return call('clone3', 0, 0)`,
  ),
  rows('escape-cases 12').refused(
    'tty-injection',
    'ioctl TIOCSTI and TIOCLINUX on descriptor 0',
    { EPERM: `${filter} on the request; ENOTTY would mean permitted` },
    `return each([0x5412, 0x541c], lambda request: fcntl.ioctl(0, request, b'x'))`,
  ),
  rows('escape-cases 12').refused(
    'runtime-signal',
    'signal 0, ptrace, process_vm_readv, pidfd_open and pidfd_getfd at the runtime',
    {
      ESRCH: 'the runtime has no number in the PID namespace',
      EPERM: `${filter}, or Landlock's scope of signals`,
      EBADF: 'no pidfd could be had',
    },
    `
def at(name):
    if P['pid'] <= 300: none('the number of the runtime could be one of ours')
    if name == 'kill': return os.kill(P['pid'], 0)
    if name == 'ptrace': return call('ptrace', 16, P['pid'], 0, 0)
    if name == 'process_vm_readv': return call(name, P['pid'], 0, 0, 0, 0, 0)
    if name == 'pidfd_open': return call(name, P['pid'], 0)
    return call(name, 99, 0, 0)
return each(['kill', 'ptrace', 'process_vm_readv', 'pidfd_open', 'pidfd_getfd'], at)`,
  ),
  design.refused(
    'signal-everything',
    'kill(-1, 0): whom does it reach',
    { ESRCH: 'nobody of the machine; the namespace has no other process', EPERM: "Landlock's scope of signals" },
    `
if P['pid'] <= 300: none('numbers overlap')
return each([P['pid'], P['parent'], 2 ** 22 - 1], lambda p: os.kill(p, 0))`,
  ),
  design.add(
    'int80-call',
    'a system call of the 32-bit instruction set',
    process.arch === 'x64' ? ['n/a', 'REFUSED', 'REFUSED'] : ['n/a', 'n/a', 'n/a'],
    { SIGSYS: `${filter} ends the process`, SIGSEGV: 'this kernel has no 32-bit calls' },
    `
if P['arch'] != 'x64': none('only on x86-64')
page = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
page.write(bytes([0xb8, 20, 0, 0, 0, 0xcd, 0x80, 0xc3]))
f = ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(page)))
return f()`,
  ),
];

const programs = rows('escape-cases 6');
const noexec = 'the mount is noexec';
const unlisted = 'Landlock has no rule to execute it, and the mount is noexec';

const executing: readonly Case[] = [
  rows('escape-cases 2').refused(
    'exec-renamed-disallowed-binary',
    'run a copy of a program that is not allowed, placed in the work folder as bash',
    { EACCES: unlisted },
    `
if not os.path.exists(W + '/planted/bash'): none('the harness placed no copy')
return run([W + '/planted/bash'])`,
    { note: 'permanent: this row is never removed' },
  ),
  programs.refused(
    'exec-planted',
    'run programs placed in the work, temp and home folders: relative, absolute, by link, as scripts',
    { EACCES: unlisted },
    `
os.chdir(W)
os.symlink(W + '/planted/bash', W + '/planted/link')
for place in (P['tmp'], P['home']):
    write(place + '/bash', open(W + '/planted/bash', 'rb').read()); os.chmod(place + '/bash', 0o755)
    write(place + '/script', b'#!/bin/bash\\necho ran\\n'); os.chmod(place + '/script', 0o755)
return each(['planted/bash', './planted/script', W + '/planted/link', P['tmp'] + '/bash', P['tmp'] + '/script', P['home'] + '/bash', P['home'] + '/script'], lambda p: run([p]))`,
  ),
  programs.refused(
    'exec-unlisted',
    'run a program of the machine that is not allowed',
    { EACCES: 'Landlock has no rule to execute it' },
    `return each(['/usr/bin/id', '/usr/bin/whoami'], lambda p: run([p]))`,
  ),
  programs.refused(
    'exec-loader-planted',
    'run planted programs, and a link to one, through the loader',
    { EPERM: noexec },
    `
os.symlink(W + '/planted/bash', W + '/planted/link2')
copies = [P['tmp'] + '/bash2', P['home'] + '/bash2']
for path in copies:
    write(path, open(W + '/planted/bash', 'rb').read()); os.chmod(path, 0o755)
return each([W + '/planted/bash', W + '/planted/link2', *copies], lambda p: run([P['loader'], p]))`,
  ),
  programs.refused(
    'exec-loader-unlisted',
    'run a program of the machine that is not allowed through the loader',
    { EACCES: 'Landlock has no rule to read it', EPERM: noexec },
    `return each(['/usr/bin/id', '/usr/bin/whoami'], lambda p: run([P['loader'], p]))`,
  ),
  programs.refused(
    'exec-mapping-planted',
    'map a planted file executable',
    { EPERM: noexec, EACCES: noexec },
    `
fd = os.open(W + '/planted/bash', os.O_RDONLY)
return mmap.mmap(fd, 4096, flags=mmap.MAP_PRIVATE, prot=mmap.PROT_READ | mmap.PROT_EXEC)`,
  ),
  programs.refused(
    'exec-mprotect-planted',
    'map a planted file and then make it executable',
    { EPERM: noexec, EACCES: noexec },
    `
fd = os.open(W + '/planted/bash', os.O_RDONLY)
libc.mmap.restype = ctypes.c_void_p
at = libc.mmap(None, ctypes.c_size_t(4096), 1, 2, fd, ctypes.c_long(0))
ctypes.set_errno(0)
if libc.mprotect(ctypes.c_void_p(at), ctypes.c_size_t(4096), 5) != 0: raise OSError(ctypes.get_errno(), 'mprotect')
return 'executable'`,
  ),
  programs.refused(
    'exec-preload-planted',
    'load a planted library into an allowed program',
    { EPERM: noexec, EACCES: noexec },
    `
write(W + '/planted.so', open(P['library'], 'rb').read())
try: ctypes.CDLL(W + '/planted.so')
except OSError as e:
    text = str(e)
    raise OSError(errno.EPERM if 'ermitted' in text or 'map segment' in text else errno.ENOEXEC, text)
return 'loaded'`,
  ),
  programs.refused(
    'memfd-exec',
    'execute the bytes of a program from memory without a file',
    { EACCES: `${filter}: memfd_create without the noexec seal` },
    `
fd = call('memfd_create', ctypes.c_char_p(b'x'), 0)
os.write(fd, open(W + '/planted/bash', 'rb').read())
return run(['/proc/self/fd/%d' % fd], pass_fds=[fd])`,
  ),
  programs.refused(
    'memfd-exec-sealed',
    'execute a memory file with the noexec seal',
    { EACCES: 'the noexec seal of memfd_create', EPERM: 'the noexec seal of memfd_create' },
    `
fd = call('memfd_create', ctypes.c_char_p(b'x'), 8)
os.write(fd, open(W + '/planted/bash', 'rb').read())
try: os.fchmod(fd, 0o755)
except OSError: pass
argv = (ctypes.c_char_p * 2)(b'x', None)
return call('execveat', fd, ctypes.c_char_p(b''), argv, argv, 0x1000)`,
  ),
  rows('escape-cases 12').refused(
    'path-hijack',
    'put a folder with a planted bash first in PATH and start bash',
    { EACCES: unlisted },
    `
os.environ['PATH'] = W + '/planted'
return run(['bash', '-c', 'echo ran'], env=dict(os.environ))`,
    { note: 'what the runtime starts is a path it resolved while staging; this is the name as a command resolves it' },
  ),
  programs.works(
    'exec-script-by-interpreter',
    'read a script of the work folder with an allowed interpreter',
    `
write(W + '/script.sh', b'echo ran')
return run(['bash', W + '/script.sh'])`,
  ),
  programs.works(
    'exec-allowed-nested',
    'allowed programs start allowed programs',
    `return run(['bash', '-c', 'echo a b | tr a-z A-Z | cat; python3 -Ic "print(1)"'])`,
  ),
  programs.add(
    'exec-workdir-exec',
    'run a planted program where workdir_exec is set',
    ['SUCCESS', 'SUCCESS', 'SUCCESS'],
    {},
    `
code, text = run([W + '/planted/script'])
if text != 'ran': none(text)
return text`,
    { box: 'workdir-exec', note: 'achieved is advisory then, whatever the floor asked for' },
  ),
];

export const callCases: readonly Case[] = [...registry, ...other, ...executing];
