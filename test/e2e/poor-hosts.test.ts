/**
 * The tier table through the command itself: the whole `mur` runs on a host that lacks something, behind a filter that refuses system
 * calls or on a mount table in which files are missing. Each host launches or refuses by spec/containment.md 3 and 14.1, names what
 * is missing and the fix, and what it launches holds exactly as much as it reports.
 */
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { probeHost } from '../../src/containment/index.js';
import { cloneOfNamespaces, onMounts, without } from '../containment/poor-host.js';
import { rehearsal, Sandbox } from './cli.js';

const [EPERM, EINVAL, ENOSYS] = [1, 22, 38];
const here = process.platform === 'linux' ? await probeHost() : undefined;
const isRich = here?.hostTier === 'sealed' && here.network.usable && here.noexec;
const canBePoor = isRich && existsSync('/usr/bin/perl');
const note = canBePoor ? '' : ' (skipped: this host is poor itself, or has no perl)';

// Below the temporary folder of the machine a private /tmp would hide the session.
const place = resolve('test-output', `poor-${process.pid}`);
const koffi = resolve('node_modules/koffi');
const loader = process.arch === 'x64' ? '/lib64/ld-linux-x86-64.so.2' : '/lib/ld-linux-aarch64.so.1';

/** What answers on the loopback of the machine, which no command may reach. */
const listener = createServer((socket) => socket.end());
let port = 0;
beforeAll(async () => {
  await new Promise<void>((done) => listener.listen(0, '127.0.0.1', done));
  port = (listener.address() as AddressInfo).port;
});
afterAll(() => {
  listener.close();
  rmSync(place, { recursive: true, force: true });
});

/** What a command on that host gets: by what it could do. */
interface Held {
  readonly secret: 'read' | 'denied' | 'absent';
  /** A program copied into the work folder, run by the loader. */
  readonly copy: 'runs' | 'refused';
  /** A connection to the loopback of the machine. */
  readonly socket: 'reached' | 'led nowhere' | 'not made';
  readonly processes: 'its own' | "the machine's";
}

const scopedHeld: Held = { secret: 'denied', copy: 'refused', socket: 'led nowhere', processes: 'its own' };
const sealedHeld: Held = { ...scopedHeld, secret: 'absent' };
const stubHeld: Held = { secret: 'denied', copy: 'runs', socket: 'not made', processes: "the machine's" };
const bare: Held = { secret: 'read', copy: 'runs', socket: 'reached', processes: "the machine's" };

interface Poor {
  readonly before?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

interface Expected {
  /** Rows of mur doctor: what is missing, and the fix. */
  readonly doctor: readonly RegExp[];
  readonly launch: { readonly floor: string; readonly achieved: string; readonly by: string; readonly warns: string };
  readonly held: Held | 'nothing runs';
  /** The weakest floor that is refused, with the reason and the fix. Absent: every floor is met. */
  readonly refuses?: readonly [floor: string, says: RegExp];
  /** With allowed hosts, at `advisory`: the reason of E-CAP-005. Absent: it would start. */
  readonly network?: RegExp;
}

const full = 'landlock+seccomp';
const noinet = `${full}+noinet`;
const sealed = `mountns+pivot_root+${full}`;
const noLandlock = { landlock_create_ruleset: ENOSYS };
const noNamespaces = { unshare: EPERM, mount: EPERM, clone: cloneOfNamespaces };
const calls = (refused: Parameters<typeof without>[0]) => (): Poor => ({ before: without(refused) });
const hides =
  (...hidden: string[]) =>
  (): Poor => ({ before: onMounts({ hidden }) });
/** Nothing can be executed where the stub would be put. */
const noexec =
  (...hidden: string[]) =>
  ({ root }: Sandbox): Poor => ({
    before: onMounts({ noexec: [root], hidden }),
    env: { TMPDIR: join(root, 'tmp') },
  });
const onMac = (): Poor => ({
  env: {
    NODE_OPTIONS: `--import "data:text/javascript,Object.defineProperty(process,'platform',{value:'darwin'})"`,
  },
});
/** Asked for where the host is known, so that the file also loads where it is not. */
const tools = () => [here?.bubblewrap?.path, here?.unshare, here?.nsenter].map((path) => path ?? '');

const hosts: readonly [string, (sandbox: Sandbox) => Poor, Expected][] = [
  [
    'without bubblewrap',
    () => hides(tools()[0]!)(),
    {
      doctor: [/bubblewrap: none - not installed; .*apt-get install bubblewrap/, /namespaces through unshare/],
      launch: { floor: 'scoped', achieved: 'scoped', by: full, warns: 'W-SEC-005' },
      held: scopedHeld,
      refuses: ['sealed', /bubblewrap \(bwrap\).*not installed.*apt-get install bubblewrap/],
    },
  ],
  [
    'without bubblewrap and util-linux',
    () => hides(...tools())(),
    {
      doctor: [/network namespace: none - unshare of util-linux.*install the package util-linux/, /noexec: none/],
      launch: { floor: 'scoped', achieved: 'scoped', by: noinet, warns: 'W-SEC-005' },
      held: stubHeld,
      refuses: ['sealed', /bubblewrap \(bwrap\).*not installed.*apt-get install bubblewrap/],
      network: /unshare of util-linux.*install the package util-linux/s,
    },
  ],
  [
    'without user namespaces, as in a default container',
    calls(noNamespaces),
    {
      doctor: [/user namespaces: none - .*--cap-add SYS_ADMIN/, /network namespace: none - .*--cap-add SYS_ADMIN/],
      launch: { floor: 'scoped', achieved: 'scoped', by: noinet, warns: 'W-SEC-005' },
      held: stubHeld,
      refuses: ['sealed', /unshare\(CLONE_NEWUSER \| CLONE_NEWNS\) is denied here.*--cap-add SYS_ADMIN/],
      network: /unshare failed: Operation not permitted.*--cap-add SYS_ADMIN/s,
    },
  ],
  [
    'where a namespace may mount nothing',
    calls({ mount: EPERM }),
    {
      doctor: [/user namespaces: none - .*Operation not permitted/, /network namespace: full/],
      launch: { floor: 'scoped', achieved: 'scoped', by: full, warns: 'W-SEC-005' },
      held: { ...stubHeld, socket: 'led nowhere' },
      refuses: ['sealed', /mount\(2\) inside a new mount namespace is denied.*--cap-add SYS_ADMIN/],
    },
  ],
  [
    'where the root may not be changed',
    calls({ pivot_root: EPERM }),
    {
      doctor: [/bubblewrap: none - .*does not let work/, /namespaces through unshare/],
      launch: { floor: 'scoped', achieved: 'scoped', by: full, warns: 'W-SEC-005' },
      held: scopedHeld,
      refuses: ['sealed', /pivot_root\(2\).*seccomp profile of the container/],
    },
  ],
  [
    'where mounts cannot be made noexec',
    calls({ mount_setattr: ENOSYS }),
    {
      doctor: [/noexec: none - .*loader can run a program copied there/],
      launch: { floor: 'sealed', achieved: 'sealed', by: sealed, warns: 'W-SEC-005' },
      held: { ...sealedHeld, copy: 'runs' },
    },
  ],
  [
    'without Landlock',
    calls(noLandlock),
    {
      doctor: [/landlock: none - landlock_create_ruleset: ENOSYS; .*Linux 5\.13/],
      launch: { floor: 'advisory', achieved: 'advisory', by: 'seccomp-only', warns: 'W-SEC-002' },
      held: { ...scopedHeld, secret: 'read' },
      refuses: ['scoped', /Landlock, which Linux has from 5\.13 on.*CONFIG_SECURITY_LANDLOCK=y/],
    },
  ],
  [
    'without Landlock and namespaces',
    calls({ ...noLandlock, ...noNamespaces }),
    {
      doctor: [/landlock: none/, /user namespaces: none/],
      launch: { floor: 'advisory', achieved: 'advisory', by: 'seccomp-only+noinet', warns: 'W-SEC-002' },
      held: { ...stubHeld, secret: 'read' },
      refuses: ['scoped', /Landlock, which Linux has from 5\.13 on/],
      network: /--cap-add SYS_ADMIN/,
    },
  ],
  [
    'without seccomp',
    calls({ seccomp: EINVAL }),
    {
      doctor: [/seccomp: none - load of the syscall filter: EINVAL; .*CONFIG_SECCOMP_FILTER=y/],
      launch: { floor: 'advisory', achieved: 'advisory', by: 'none', warns: 'W-SEC-001' },
      held: bare,
      refuses: ['scoped', /loads no seccomp filter.*EINVAL/],
      network: /loads no seccomp filter.*CONFIG_SECCOMP_FILTER=y/s,
    },
  ],
  [
    'where the stub can be executed nowhere',
    noexec(),
    {
      doctor: [/launcher: partial - through koffi.*\(EACCES\); let programs be executed in the temporary folder/],
      launch: { floor: 'sealed', achieved: 'sealed', by: sealed, warns: 'W-SEC-005' },
      held: sealedHeld,
    },
  ],
  [
    'where the stub can be executed nowhere, without koffi',
    noexec(koffi),
    {
      doctor: [/launcher: none - .*EACCES.*npm install koffi/],
      launch: { floor: 'advisory', achieved: 'advisory', by: 'none', warns: 'W-SEC-001' },
      held: { ...bare, copy: 'refused' },
      refuses: ['scoped', /neither by its own binary nor through koffi.*EACCES/],
      network: /neither by its own binary nor through koffi/,
    },
  ],
  [
    'without koffi',
    hides(koffi),
    {
      doctor: [/network namespace: partial - .*koffi.*npm install koffi/, /pidfd: partial - .*npm install koffi/],
      launch: { floor: 'sealed', achieved: 'sealed', by: sealed, warns: 'W-SEC-005' },
      held: sealedHeld,
      network: /koffi.*is not installed.*npm install koffi/s,
    },
  ],
  [
    'without close_range',
    calls({ close_range: ENOSYS }),
    {
      doctor: [/close_range: none - ENOSYS: no command is started without it; run Linux 5\.11/],
      launch: { floor: 'scoped', achieved: 'scoped', by: full, warns: 'W-SEC-005' },
      held: 'nothing runs',
    },
  ],
  [
    'that is no Linux',
    onMac,
    {
      doctor: [/kernel sandbox: none - there is none for mur on darwin/],
      launch: { floor: 'advisory', achieved: 'advisory', by: 'none', warns: 'W-SEC-001' },
      held: bare,
      refuses: ['scoped', /Landlock and seccomp exist on Linux only.*permanently/],
    },
  ],
];

/** Tries what the tiers differ in, and says a word for each. Only what bash does itself, and two programs. */
const tries = (secret: string): string => `
[ -e ${secret} ] && { (: < ${secret}) 2>/dev/null && echo secret=read || echo secret=denied; } || echo secret=absent
cp /usr/bin/true copy; ${loader} ./copy && echo copy=runs || echo copy=refused
m=$( (exec 3<>/dev/tcp/127.0.0.1/${port}) 2>&1 )
case "$m" in '') s=reached;; *socket:*) s='not made';; *refused*|*unreachable*) s='led nowhere';; *) s="$m";; esac
echo "socket=$s"
kill -0 ${process.pid} 2>/dev/null || [ -e /proc/${process.pid} ] && echo "processes=the machine's" || echo 'processes=its own'
exit 0`;

describe.runIf(canBePoor)(`a host${note}`, () => {
  test.each(hosts)('%s', async (_, make, expected) => {
    const sandbox = new Sandbox(place);
    try {
      for (const folder of ['project/work', 'tmp']) mkdirSync(join(sandbox.root, folder));
      const { before = [], env = {} } = make(sandbox);
      sandbox.before = before;
      const secret = sandbox.write('secret.txt', 'hunter2');
      const turns = [{ call: { tool: 'bash', input: { command: tries(secret) } } }, { say: 'Done.' }];
      const shell = { allow: ['bash', 'cp', 'true'] };
      const more = { trace: { capture: 'content' } };
      sandbox.manifest(rehearsal(turns, { ...more, capabilities: { shell } }));
      sandbox.write(
        'project/net.yaml',
        rehearsal(turns, { capabilities: { shell, network: { allow: ['api.example'] } } }),
      );
      const run = ['run', '--task', 'go', '--workdir', 'work'];
      const { launch, refuses, network } = expected;

      const [doctor, started, refused, explained, closed] = await Promise.all([
        sandbox.run(['doctor'], env),
        sandbox.run([...run, '--containment', launch.floor], env),
        refuses && sandbox.run([...run, '--containment', refuses[0]], env),
        sandbox.run(['run', '--explain-scope', '--json', '--containment', refuses?.[0] ?? launch.floor], env),
        network && sandbox.run([...run, '--manifest', 'net.yaml'], env),
      ]);

      for (const row of expected.doctor) expect(doctor.stdout).toMatch(row);
      if (refuses !== undefined) {
        expect(refused).toMatchObject({ code: 1, stderr: expect.stringMatching(/error\[E-CAP-003\]/) });
        expect(refused!.stderr).toMatch(refuses[1]);
        expect(refused!.stderr).toContain(`lower the floor to '${launch.achieved}'`);
      }
      if (network !== undefined) {
        expect(closed).toMatchObject({ code: 1, stderr: expect.stringMatching(/error\[E-CAP-005\]/) });
        expect(closed!.stderr).toMatch(network);
      }
      // One session has started; the refused have left nothing.
      expect(sandbox.records()).toHaveLength(1);

      const report = JSON.parse(explained.stdout);
      expect(explained.code).toBe(0);
      expect(report).toMatchObject({
        achieved_containment: launch.achieved,
        enforcement_tier: launch.by,
        floor_met: refuses === undefined,
      });
      if (refuses !== undefined) expect(refused!.stderr).toContain(report.shortfall_reason);

      expect(started).toMatchObject({ code: 0, stderr: expect.stringContaining(`warning[${launch.warns}]`) });
      const trace = sandbox.trace();
      const grants = trace.find(({ event_type }) => event_type === 'session_start')!.effective_grants as typeof report;
      expect(grants).toMatchObject({ achieved_containment: launch.achieved, enforcement_tier: launch.by });
      const output = String(trace.find(({ event_type }) => event_type === 'tool_call')!.output);
      if (expected.held === 'nothing runs') {
        expect(output).toContain('sandbox: close_range failed before exec: Function not implemented');
        expect(readFileSync(secret, 'utf8')).toBe('hunter2');
        return;
      }
      const held = Object.fromEntries(
        [...output.matchAll(/^(secret|copy|socket|processes)=(.*)$/gm)].map(([, name, value]) => [name, value]),
      );
      expect(held, output).toEqual(expected.held);
      // The report says what was found out, weaker or not.
      if (grants.noexec !== null) expect(grants.noexec ? 'refused' : 'runs').toBe(expected.held.copy);
      const statements = grants.filesystem_boundary.not_protected.join('\n');
      if (grants.noexec === false) {
        expect(statements).toContain('not mounted noexec');
        if (launch.warns === 'W-SEC-005') expect(started.stderr).toContain('ELF loader');
      }
      const isStub = launch.by !== 'none' && expected.held.processes !== 'its own';
      expect(statements.includes('no process namespace')).toBe(isStub);
    } finally {
      sandbox.before = [];
      sandbox.remove();
    }
  });
});
