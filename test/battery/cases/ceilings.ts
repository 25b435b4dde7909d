import { type Case, rows } from '../case.js';

/** The tight profile of spec/escape-cases.md 1. */
export const tight = {
  noCore: true,
  maxProcesses: 512,
  maxOpenFiles: 128,
  maxFileSizeBytes: 10 * 1024 * 1024,
  cpuSeconds: 60,
  memoryBytes: 4 * 1024 ** 3,
} as const;

const { add } = rows('escape-cases 2');
const ceiling = { kind: 'ceiling', box: 'tight' } as const;

/** Ceilings a single process runs into. What ends whole commands is in ../limits.ts. */
export const ceilingCases: readonly Case[] = [
  add(
    'resource-disk-filler-per-file',
    'one file past 10 MiB, with SIGXFSZ ignored',
    ['CONTAINED', 'CONTAINED', 'CONTAINED'],
    {},
    `
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
fd = os.open(W + '/big', os.O_WRONLY | os.O_CREAT)
total = 0
try:
    while total < 64 * 1024 * 1024: total += os.write(fd, bytes(1024 * 1024))
except OSError as e:
    os.unlink(W + '/big')
    if e.errno == errno.EFBIG and total <= 10 * 1024 * 1024: held('EFBIG at %d bytes: RLIMIT_FSIZE' % total)
    raise
return 'wrote %d bytes' % total`,
    ceiling,
  ),
  add(
    'resource-fd-exhauster',
    'open files until it fails',
    ['CONTAINED', 'CONTAINED', 'CONTAINED'],
    {},
    `
soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
count = 3
try:
    while count < 4096:
        os.dup(0); count += 1
except OSError as e:
    if e.errno == errno.EMFILE and count <= soft + 1 and soft < 512: held('EMFILE after %d with a limit of %d: RLIMIT_NOFILE' % (count, soft))
    raise
return 'opened %d' % count`,
    ceiling,
  ),
  add(
    'resource-limits-read-back',
    'read soft and hard limits and try to raise each',
    ['CONTAINED', 'CONTAINED', 'CONTAINED'],
    {},
    `
want = {'NOFILE': (128, 128), 'FSIZE': (10485760, 10485760), 'CPU': (60, 61), 'AS': (4 << 30, 4 << 30), 'CORE': (0, 0), 'NPROC': (512, 512)}
for name, pair in want.items():
    number = getattr(resource, 'RLIMIT_' + name)
    if resource.getrlimit(number) != pair: none('%s is %s' % (name, resource.getrlimit(number)))
    try:
        resource.setrlimit(number, (pair[1] + 1, pair[1] + 1))
        return 'raised ' + name
    except (ValueError, PermissionError): pass
held('both columns as declared (CPU: hard = soft + 1); raising refused: no CAP_SYS_RESOURCE')`,
    ceiling,
  ),
  add(
    'resource-address-space',
    'allocate memory past 4 GiB of address space',
    ['CONTAINED', 'CONTAINED', 'CONTAINED'],
    {},
    `
try: mmap.mmap(-1, 5 << 30)
except OSError as e:
    if e.errno == errno.ENOMEM: held('ENOMEM: RLIMIT_AS')
    raise
return 'mapped 5 GiB'`,
    ceiling,
  ),
];
