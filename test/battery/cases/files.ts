import { type Case, leakedDescriptor, rows } from '../case.js';

const landlock = 'Landlock has no rule for it';
const absent = 'not in the composed root';
const landlockOrMode = `${landlock}; file mode could answer the same to a user who is not root, which the control rules out`;
const { add, refused } = rows('escape-cases 2');

/** The first part of the registry: files. */
const registry: readonly Case[] = [
  add(
    'read-etc-shadow',
    'open /etc/shadow, with /etc/passwd as the control that file mode does not protect',
    ['n/a', 'REFUSED', 'REFUSED'],
    { EACCES: landlockOrMode, ENOENT: absent },
    `
if CLASS != 'sealed':
    try: return 'control /etc/passwd: %d bytes' % len(read('/etc/passwd'))
    except PermissionError: pass
return read('/etc/shadow')`,
  ),
  add(
    'write-outside-workdir',
    'create a file in /tmp, and in TMPDIR where that is another folder',
    ['SUCCESS', 'SUCCESS', 'SUCCESS'],
    { EACCES: landlock },
    `
try: write('/tmp/' + P['token'])
except OSError:
    if P['tmp'] == '/tmp': raise
if P['tmp'] != '/tmp': write(P['tmp'] + '/' + P['token'])
return 'written; the harness checks where it is'`,
    {
      note: 'superseded by the temp mapping: the bytes are in the temp folder of the records, which the harness checks; where something the box shows lies below /tmp, that is not mapped',
    },
  ),
  refused(
    'write-var-tmp',
    'create a file in /var/tmp and in the folder above the work folder',
    { EACCES: landlock, ENOENT: absent, EROFS: 'the composed root is read-only' },
    `return each(['/var/tmp/' + P['token'], P['root'] + '/planted'], write)`,
  ),
  refused(
    'read-outside-workdir',
    'read a world-readable file beside the work folder',
    { EACCES: landlock, ENOENT: absent },
    `return each([P['outside'], W + '/../outside/secret'], read)`,
  ),
  add(
    'stat-outside-workdir',
    'stat /etc/shadow',
    ['SUCCESS', 'SUCCESS', 'REFUSED'],
    { ENOENT: absent },
    `return os.stat('/etc/shadow').st_mode`,
  ),
  add(
    'symlink-escape',
    'read /etc/passwd through a link in the work folder',
    ['n/a', 'REFUSED', 'ALLOWED'],
    { EACCES: landlock },
    `
os.symlink('/etc/passwd', W + '/' + P['token'] + '-link')
return read(W + '/' + P['token'] + '-link', 4000).decode().count('\\n')`,
    { note: 'sealed: it reads the synthetic file, which case sealed-accounts looks into' },
  ),
  refused(
    'symlink-escape-outside',
    'read a world-readable file beside the work folder through a link',
    { EACCES: landlock, ENOENT: absent },
    `
os.symlink(P['outside'], W + '/' + P['token'] + '-link2')
return read(W + '/' + P['token'] + '-link2')`,
  ),
  add(
    'hardlink-escape',
    'hard-link a file beside the work folder into it and read it',
    ['n/a', 'n/a', 'n/a'],
    { EACCES: `${landlock} (refer); protected_hardlinks would be EPERM`, ENOENT: absent, EXDEV: 'another mount' },
    `
os.link(P['outside'], W + '/hard')
return read(W + '/hard')`,
    {
      note: 'the checklist has REFUSED at scoped; the work folder is a mount of its own here, so the answer is always EXDEV, which it counts as no evidence',
    },
  ),
  add(
    'rename-across-boundary',
    'rename a file of the work folder out of it',
    ['n/a', 'n/a', 'n/a'],
    { EACCES: landlock, ENOENT: absent, EXDEV: 'another mount' },
    `
write(W + '/mine')
os.rename(W + '/mine', '/var/tmp/' + P['token'])
return 'moved'`,
    { note: 'as hardlink-escape: EXDEV by the layout of mounts' },
  ),
  add(
    'proc-self-cwd-reopen',
    'leave through /proc/self/cwd and enough ..',
    ['n/a', 'REFUSED', 'ALLOWED'],
    { EACCES: landlock },
    `
up = '/proc/self/cwd' + '/..' * (os.getcwd().count('/') + 1)
return len(read(up + '/etc/passwd'))`,
    { note: 'sealed: the walk ends in the composed root, with its synthetic file' },
  ),
  refused(
    'proc-self-cwd-outside',
    'reach the file beside the work folder through /proc/self/cwd/..',
    { EACCES: landlock, ENOENT: absent },
    `return read('/proc/self/cwd/../outside/secret')`,
  ),
  refused(
    'proc-pid-root-reopen',
    'reach the root of the runtime through /proc/<pid>/root',
    {
      ENOENT: 'the runtime has no number in the private /proc',
      EACCES: `${landlock}; a kernel check of ptrace access could answer the same`,
      EPERM: 'ptrace access refused',
    },
    `return each(['/proc/%d/root/etc/passwd' % P['pid'], '/proc/1/root' + P['outside'], '/proc/%d/root%s' % (os.getppid(), P['outside'])], read)`,
    {
      note: 'the checklist has ALLOWED at sealed for a walk that ends in the composed root; this one asks for what is not in it',
    },
  ),
  refused(
    'proc-self-fd-reopen',
    'reopen a read-only /dev/urandom for writing through /proc/self/fd',
    { EACCES: 'Landlock has a rule to read it and none to write' },
    `
fd = os.open('/dev/urandom', os.O_RDONLY)
again = os.open('/proc/self/fd/%d' % fd, os.O_RDONLY)
os.close(again)
return os.open('/proc/self/fd/%d' % fd, os.O_RDWR)`,
  ),
  add(
    'inherited-fd-after-exec',
    `use descriptor ${leakedDescriptor}, which leaked into the runtime, and every other above 2`,
    ['REFUSED', 'REFUSED', 'REFUSED', 'REFUSED'],
    { EBADF: 'close_range closed what the runtime inherited' },
    `
if opened: return 'open: %s' % opened
return os.read(${leakedDescriptor}, 10)`,
    { note: 'graded in every class; the negative control shows that the leak is there without the step' },
  ),
  refused(
    'mknod-block-device-in-workdir',
    'make block device 8:0 in the work folder and read it',
    { EACCES: landlock, EPERM: 'CAP_MKNOD of the machine is not there; for a user who is not root it never is' },
    `
os.mknod(W + '/disk', stat.S_IFBLK | 0o600, os.makedev(8, 0))
return read(W + '/disk')`,
  ),
  refused(
    'symlink-swap-race',
    'open a path while another thread swaps it between a file of ours and a link outwards',
    { EACCES: landlock, ENOENT: absent, EPERM: landlock },
    `
mine, link, path = W + '/race-mine', W + '/race-link', W + '/race'
write(mine, b'mine')
os.symlink(P['outside'], link)
stop = threading.Event()
def swap():
    while not stop.is_set():
        for source in (mine, link):
            try:
                os.symlink(source, path + '.next')
                os.rename(path + '.next', path)
            except OSError: pass
thread = threading.Thread(target=swap)
thread.start()
last = None
try:
    for _ in range(20000):
        try:
            got = read(path)
            if got != b'mine': return 'read %r' % got
        except OSError as e: last = e if e.errno in (errno.EACCES, errno.ENOENT) else last
finally:
    stop.set()
    thread.join()
if last is None: none('the race never hit')
raise last`,
    { short: false },
  ),
];

const session = rows('escape-cases 12');

const ours: readonly Case[] = [
  session.refused(
    'runtime-dir-tamper',
    'write into the runtime folder of the session',
    { EACCES: landlock, EROFS: 'mounted read-only', ENOENT: absent },
    `return each([P['runtime'] + '/MURMUR.md', P['runtime'] + '/new'], lambda p: write(p))`,
  ),
  session.refused(
    'records-dir-tamper',
    'append to the trace, add a record, remove one',
    { EACCES: landlock, EROFS: 'mounted read-only', ENOENT: absent },
    `
each([P['records'] + '/trace.jsonl'], lambda p: write(p, b'x', os.O_WRONLY | os.O_APPEND))
each([P['records'] + '/planted'], write)
os.unlink(P['records'] + '/trace.jsonl')
return 'tampered'`,
  ),
  session.refused(
    'other-sessions-records',
    'read the records of another session',
    { EACCES: landlock, ENOENT: absent },
    `return each([P['other'] + '/trace.jsonl', P['root'] + '/other'], lambda p: read(p) if p.endswith('jsonl') else os.listdir(p))`,
  ),
  session.refused(
    'state-store-isolation',
    "open a native tool's store from a command",
    { EACCES: landlock, ENOENT: absent },
    `return each([P['state'] + '/kept'], read)`,
  ),
  session.works('host-path-read', 'read a lent folder', `return read(P['lentRead'] + '/file')`),
  session.works('host-path-write', 'write into a folder lent for writing', `return write(P['lentWrite'] + '/new')`),
  session.refused(
    'host-path-read-write',
    'write through an entry that lends for reading',
    { EACCES: landlock, EROFS: 'mounted read-only' },
    `return each([P['lentRead'] + '/file', P['lentRead'] + '/new'], write)`,
  ),
  session.refused(
    'host-path-exec',
    'run a program from a folder lent for writing',
    { EACCES: `${landlock} to execute; mounted noexec as well` },
    `return run([P['lentWrite'] + '/tool'])`,
  ),
  session.refused(
    'trust-store-write',
    'write into the certificates',
    { EACCES: landlock, EROFS: 'mounted read-only', ENOENT: absent },
    `return each(['/etc/ssl/certs/planted', '/usr/share/ca-certificates/planted'], write)`,
  ),
  session.refused(
    'derived-dir-write',
    "write into the interpreter's own folder",
    { EACCES: landlock, EROFS: 'mounted read-only' },
    `return write(os.path.dirname(os.__file__) + '/planted.py')`,
  ),
  session.refused(
    'temp-swap',
    'put a link in the place of the temp and home folders for the next command',
    {
      EACCES: landlock,
      EBUSY: 'a mount point',
      EROFS: 'mounted read-only',
      EXDEV: 'another mount',
      ENOENT: absent,
      EPERM: 'a mount point',
    },
    `
def swap(p):
    os.rename(p, p + '.away')
    os.symlink('/root', p)
return each([P['temp'], P['home']], swap)`,
  ),
];

const root = rows('escape-cases 7');

const composed: readonly Case[] = [
  root.add(
    'composed-root-absent',
    'stat what only the host has: shadow, /root, docker.sock, disks, sudoers, ssh, homes',
    ['n/a', 'n/a', 'REFUSED'],
    { ENOENT: absent },
    `return each(['/etc/shadow', '/root', '/home', '/var/run/docker.sock', '/run/docker.sock', '/dev/sda', '/dev/nvme0n1', '/etc/sudoers', '/etc/ssh', '/etc/hostname', '/opt', '/boot', '/sys', '/var/lib', P['outside'], P['root'] + '/other'], os.stat)`,
  ),
  root.add(
    'composed-root-lists-nothing',
    'list / and /etc',
    ['n/a', 'REFUSED', 'REFUSED'],
    { EACCES: landlock },
    `return each(['/', '/etc'], os.listdir)`,
  ),
  root.works(
    'root-can-be-walked',
    'stat and enter / and /etc, list the work folder',
    `
os.stat('/'); os.stat('/etc'); os.chdir('/etc'); os.chdir(W)
return os.listdir('.')`,
  ),
  root.add(
    'composed-root-lists-usr',
    'list /usr',
    ['n/a', 'n/a', 'SUCCESS'],
    { EACCES: landlock },
    `return os.listdir('/usr')`,
  ),
  root.add(
    'composed-root-read-only',
    'create files in /usr, /etc, / and /dev',
    ['n/a', 'REFUSED', 'REFUSED'],
    { EROFS: 'mounted read-only', EACCES: landlock },
    `return each(['/usr/planted', '/etc/planted', '/planted', '/dev/planted', '/usr/bin/planted'], write)`,
  ),
  root.add(
    'sealed-accounts',
    'read the accounts',
    ['n/a', 'n/a', 'SUCCESS'],
    {},
    `
names = [line.split(':')[0] for line in read('/etc/passwd', 4096).decode().splitlines()]
if set(names) - {'capsule', 'root'} or not names: none('accounts: %s' % names)
return names`,
    { note: 'where the runtime is root, the account of the command is root, and there is no second' },
  ),
  root.refused(
    'proc-of-others',
    'read environment and memory of the runtime and of the first process',
    {
      EACCES: `${landlock}; ptrace access could answer the same`,
      ENOENT: 'not in the private /proc',
      EPERM: 'ptrace access refused',
    },
    `return each(['/proc/%d/environ' % P['pid'], '/proc/%d/mem' % P['pid'], '/proc/1/environ', '/proc/1/mem', '/proc/1/maps'], read)`,
  ),
  root.works(
    'proc-mount-flags',
    '/proc is nosuid, nodev, noexec',
    `
flags = os.statvfs('/proc').f_flag
if flags & (2 | 4 | 8) != (2 | 4 | 8): none('flags %x' % flags)
return hex(flags)`,
  ),
  root.works(
    'proc-is-private',
    'the process numbers are those of the command',
    `
if os.path.exists('/proc/%d/stat' % P['pid']) and P['pid'] > 300: none('the runtime is visible')
return 'runtime %d absent, own %d' % (P['pid'], os.getpid())`,
  ),
  root.refused(
    'namespace-calls',
    'mount, umount, pivot_root, chroot, setns, unshare and the new mount calls',
    { EPERM: 'the syscall filter; without it the missing capability would say the same' },
    `
b = ctypes.c_char_p
tries = {'mount': (b(b'none'), b(b'/tmp'), b(b'tmpfs'), 0, 0), 'umount2': (b(b'/tmp'), 2), 'pivot_root': (b(b'.'), b(b'.')), 'chroot': (b(b'.'),), 'setns': (0, 0), 'unshare': (0x10000000,), 'open_tree': (-100, b(b'/'), 1), 'fsopen': (b(b'tmpfs'), 0), 'move_mount': (0, 0, 0, 0, 0), 'mount_setattr': (-100, b(W.encode()), 0, 0, 0)}
return each(tries, lambda name: call(name, *tries[name]))`,
  ),
];

const devices = rows('escape-cases 4');

const deviceCases: readonly Case[] = [
  devices.works(
    'dev-null',
    'write, read and open /dev/null both ways',
    `
write('/dev/null', b'x', os.O_WRONLY)
if read('/dev/null') != b'': none('it had bytes')
os.close(os.open('/dev/null', os.O_RDWR))
return run(['bash', '-c', 'echo x > /dev/null && cat < /dev/null && echo fine'])`,
  ),
  devices.works(
    'dev-readable',
    'read /dev/zero and /dev/urandom',
    `return read('/dev/zero', 2), len(read('/dev/urandom', 8))`,
  ),
  devices.refused(
    'dev-urandom-write',
    'write to /dev/urandom',
    { EACCES: 'Landlock has a rule to read it and none to write' },
    `return write('/dev/urandom', b'x', os.O_WRONLY)`,
  ),
  devices.add(
    'dev-zero-write',
    'write to /dev/zero',
    ['n/a', 'REFUSED', 'ALLOWED'],
    { EACCES: 'Landlock has a rule to read it and none to write' },
    `return write('/dev/zero', b'x', os.O_WRONLY)`,
    { note: 'sealed has the six fixed nodes with their usual meaning' },
  ),
  devices.refused(
    'dev-others',
    'open consoles, memory, disks; make shared memory',
    { EACCES: landlock, ENOENT: absent, EROFS: 'mounted read-only' },
    `
names = ['console', 'mem', 'kmsg', 'sda', 'vda', 'nvme0n1', 'loop0', 'kvm', 'fuse', 'net/tun', 'mapper/control']
return each(['/dev/' + n for n in names] + ['/dev/shm/planted'], lambda p: write(p) if 'shm' in p else read(p))`,
  ),
  devices.add(
    'dev-list',
    'list /dev',
    ['n/a', 'REFUSED', 'REFUSED'],
    { EACCES: landlock },
    `return os.listdir('/dev')`,
  ),
  devices.add(
    'dev-sealed-nodes',
    'the six nodes have their fixed numbers',
    ['n/a', 'n/a', 'SUCCESS'],
    {},
    `
want = {'null': (1, 3), 'zero': (1, 5), 'full': (1, 7), 'random': (1, 8), 'urandom': (1, 9), 'tty': (5, 0)}
for name, (major, minor) in want.items():
    s = os.stat('/dev/' + name)
    if not stat.S_ISCHR(s.st_mode) or (os.major(s.st_rdev), os.minor(s.st_rdev)) != (major, minor): none(name)
return 'six nodes'`,
  ),
];

const nodes = rows('escape-cases 5');

const nodeCases: readonly Case[] = [
  nodes.refused(
    'mknod-character-device',
    'make the memory device in the work and temp folders',
    { EACCES: landlock, EPERM: 'no CAP_MKNOD of the machine' },
    `return each([W + '/mem', P['tmp'] + '/mem'], lambda p: os.mknod(p, stat.S_IFCHR | 0o600, os.makedev(1, 1)))`,
  ),
  nodes.works(
    'work-folder-nodes',
    'FIFO, files, folders, links, rename, chmod in the work folder',
    `
d = W + '/nodes'; os.mkdir(d)
os.mkfifo(d + '/fifo')
if os.fork() == 0:
    write(d + '/fifo', b'through', os.O_WRONLY); os._exit(0)
got = read(d + '/fifo')
write(d + '/a', b'1'); os.rename(d + '/a', d + '/b'); os.chmod(d + '/b', 0o600); os.symlink('b', d + '/c'); os.link(d + '/b', d + '/e')
return got, read(d + '/c'), sorted(os.listdir(d))`,
  ),
  nodes.works(
    'no-privileges',
    'no capability in any set, no_new_privs, a filter loaded',
    `
header = struct.pack('Ii', 0x20080522, 0); data = ctypes.create_string_buffer(24)
if libc.capget(header, data) != 0: none('capget')
if data.raw != bytes(24): none('capabilities %s' % data.raw.hex())
bounding = [c for c in range(41) if libc.prctl(23, c, 0, 0, 0) == 1]
nnp, filtered = libc.prctl(39, 0, 0, 0, 0), libc.prctl(21, 0, 0, 0, 0)
if bounding or nnp != 1 or filtered != 2: none('bounding %s nnp %d seccomp %d' % (bounding, nnp, filtered))
return 'effective, permitted, inheritable, bounding empty; NoNewPrivs 1; Seccomp 2'`,
  ),
  nodes.refused(
    'mode-000-file',
    'read a file of mode 000; of another user where the runtime is root',
    { EACCES: 'no CAP_DAC_OVERRIDE', EPERM: 'no CAP_DAC_OVERRIDE' },
    `return read(W + '/mode-000')`,
    { note: 'without root the file is our own, which proves less' },
  ),
  nodes.works(
    'no-core-dump',
    'abort leaves no core and the limit is 0',
    `
if resource.getrlimit(resource.RLIMIT_CORE) != (0, 0): none('limit')
pid = os.fork()
if pid == 0: os.abort()
_, status = os.waitpid(pid, 0)
if os.WCOREDUMP(status): none('dumped')
return 'signal %d, no core' % os.WTERMSIG(status)`,
  ),
  nodes.refused(
    'set-user-id-program',
    'a set-user-id program of the machine that may be executed gains nothing',
    { EACCES: 'not executable here', EPERM: 'no_new_privs', ENOENT: absent },
    `
before = os.geteuid()
code, text = run([P['suid'], '-u'])
if text.strip() == str(before): raise OSError(errno.EPERM, 'it ran as %d' % before)
return text`,
    { note: 'as root the user it would become is the one it is; the unprivileged run is the evidence' },
  ),
];

export const fileCases: readonly Case[] = [...registry, ...ours, ...composed, ...deviceCases, ...nodeCases];
