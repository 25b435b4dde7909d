/**
 * Runs many attempts with one start of an interpreter: each in a forked process of its own, so that what one does to itself reaches no
 * other, and one that hangs or dies is evidence of its own.
 */
import type { Evidence } from './verdict.js';

export interface Attempt {
  readonly id: string;
  /** Body of a Python function. Returns words when it got through; raises what the kernel said; `none(why)` for no evidence. */
  readonly code: string;
}

/** Numbers of calls that Python has no name for: x86-64, arm64. */
const calls: Readonly<Record<string, readonly [number, number]>> = {
  io_uring_setup: [425, 425],
  userfaultfd: [323, 282],
  bpf: [321, 280],
  open_by_handle_at: [304, 265],
  perf_event_open: [298, 241],
  keyctl: [250, 219],
  add_key: [248, 217],
  kcmp: [312, 272],
  setns: [308, 268],
  unshare: [272, 97],
  chroot: [161, 51],
  mount: [165, 40],
  umount2: [166, 39],
  pivot_root: [155, 41],
  clone: [56, 220],
  clone3: [435, 435],
  ptrace: [101, 117],
  process_vm_readv: [310, 270],
  pidfd_getfd: [438, 438],
  pidfd_open: [434, 434],
  memfd_create: [319, 279],
  execveat: [322, 281],
  open_tree: [428, 428],
  fsopen: [430, 430],
  move_mount: [429, 429],
  mount_setattr: [442, 442],
  landlock_restrict_self: [446, 446],
  seccomp: [317, 277],
  init_module: [175, 105],
  reboot: [169, 142],
  swapon: [167, 224],
  acct: [163, 89],
  quotactl: [179, 60],
  sethostname: [170, 161],
  settimeofday: [164, 170],
  syslog: [103, 116],
  personality: [135, 92],
};

const marker = '@battery ';

/** The program: standard library only, and what it knows about its surroundings as `P`. */
export function pythonOf(attempts: readonly Attempt[], facts: Readonly<Record<string, unknown>>): string {
  const numbers = Object.fromEntries(
    Object.entries(calls).map(([name, [x64, arm64]]) => [name, process.arch === 'x64' ? x64 : arm64]),
  );
  const functions = attempts.map(
    ({ id, code }) => `@attempt(${JSON.stringify(id)})\ndef _():\n${code.trim().replace(/^/gm, '    ')}\n`,
  );
  return [
    preamble(JSON.stringify(JSON.stringify(facts)), JSON.stringify(JSON.stringify(numbers))),
    ...functions,
    'play()',
  ].join('\n');
}

function preamble(facts: string, numbers: string): string {
  return `
import fcntl
opened = []
for fd in range(3, 1024):
    try:
        fcntl.fcntl(fd, fcntl.F_GETFD)
        opened.append(fd)
    except OSError:
        pass
import os, sys, json, errno, socket, struct, time, signal, select, mmap, stat, subprocess, resource, ctypes, threading
P = json.loads(${facts})
N = json.loads(${numbers})
W = P['work']
CLASS = P['class']
libc = ctypes.CDLL(None, use_errno=True)
class NoEvidence(Exception): pass
class Held(Exception): pass
def held(why): raise Held(why)
def none(why): raise NoEvidence(why)
def call(name, *args):
    ctypes.set_errno(0)
    result = libc.syscall(N[name], *[ctypes.c_long(a) if isinstance(a, int) else a for a in args])
    if result == -1:
        e = ctypes.get_errno()
        raise OSError(e, name + ': ' + os.strerror(e))
    return result
def read(path, size=64):
    fd = os.open(path, os.O_RDONLY)
    try: return os.read(fd, size)
    finally: os.close(fd)
def write(path, data=b'x', flags=os.O_WRONLY | os.O_CREAT):
    fd = os.open(path, flags, 0o644)
    try: return os.write(fd, data)
    finally: os.close(fd)
def each(things, act):
    """Through when one is; the most telling errno otherwise."""
    said = []
    for thing in things:
        try:
            act(thing)
            return 'through: %s' % (thing,)
        except OSError as e: said.append((thing, e))
    said.sort(key=lambda pair: pair[1].errno == errno.ENOENT)
    text = ', '.join('%s %s' % (t, errno.errorcode.get(e.errno, e.errno)) for t, e in said)
    raise OSError(said[0][1].errno, text)
def run(argv, **rest):
    """Runs a program; an exec that is refused raises, and so does a loader that is refused a mapping."""
    rest.setdefault('timeout', 20)
    done = subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, **rest)
    text = (done.stdout + done.stderr).decode('utf8', 'replace').strip()
    if done.returncode in (126, 127):
        if 'Operation not permitted' in text or 'failed to map' in text: raise OSError(errno.EPERM, text)
        if 'Permission denied' in text: raise OSError(errno.EACCES, text)
        if 'not found' in text or 'No such file' in text: raise OSError(errno.ENOENT, text)
    return done.returncode, text
attempts = []
def attempt(name):
    def add(f): attempts.append((name, f))
    return add
def show(f):
    try: return {'kind': 'through', 'detail': str(f())[:300]}
    except Held as e: return {'kind': 'held', 'detail': str(e)}
    except NoEvidence as e: return {'kind': 'none', 'detail': str(e)}
    except OSError as e:
        if e.errno is None: return {'kind': 'none', 'detail': repr(e)}
        return {'kind': 'errno', 'errno': errno.errorcode.get(e.errno, str(e.errno)), 'detail': (e.strerror or str(e))[:300]}
    except BaseException as e: return {'kind': 'none', 'detail': repr(e)[:300]}
def play():
    for name, f in attempts:
        r, w = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.close(r)
            os.setpgid(0, 0)
            os.write(w, json.dumps(show(f)).encode())
            os._exit(0)
        os.close(w)
        ready, _, _ = select.select([r], [], [], 30)
        data = os.read(r, 65536) if ready else b''
        os.close(r)
        try: os.killpg(pid, signal.SIGKILL)
        except OSError: pass
        _, status = os.waitpid(pid, 0)
        if data: found = json.loads(data)
        elif not ready: found = {'kind': 'none', 'detail': 'no answer within 30 s'}
        else: found = {'kind': 'errno', 'errno': signal.Signals(os.WTERMSIG(status)).name, 'detail': 'ended by signal %d' % os.WTERMSIG(status)}
        sys.stdout.write('${marker}' + json.dumps({'id': name, 'evidence': found}) + '\\n')
        sys.stdout.flush()
`;
}

/** What each attempt came back with. One that is missing gave no evidence. */
export function readEvidence(
  output: string,
  attempts: readonly Attempt[],
  failure: string,
): ReadonlyMap<string, Evidence> {
  const found = new Map<string, Evidence>(
    attempts.map(({ id }) => [id, { kind: 'none', detail: `it never answered: ${failure.slice(-300)}` }]),
  );
  for (const line of output.split('\n')) {
    if (!line.startsWith(marker)) continue;
    const { id, evidence } = JSON.parse(line.slice(marker.length)) as { id: string; evidence: Evidence };
    found.set(id, evidence);
  }
  return found;
}
