import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  rmdirSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { StartFailure } from '../../../src/containment/box.js';
import type { Chain, HostReport } from '../../../src/containment/host.js';
import { pidsWith } from '../../fixtures/processes.js';
import { closureOf, decisionFor, fullHost, outcomeOf, type TestBox, testBox } from './host.js';

/** What the tests start. */
const programs = ['bash', 'cat', 'ls', 'sleep', 'setsid', 'true', 'python3'];
const pythonFolders = ['/usr/lib/python3', '/usr/lib/python3.11', '/usr/lib/python3.12', '/usr/lib/python3.13'];
/** `/proc` for what reads its own status; otherwise no command may. */
export const readPaths = ['/proc', ...pythonFolders].map((path) => ({
  path,
  access: 'read' as const,
  list: true,
  required: false,
}));

export interface Variant {
  readonly floor: 'scoped' | 'sealed';
  readonly chain: Chain;
  readonly launcher: 'stub' | 'koffi';
}

export const variants: readonly Variant[] = [
  { floor: 'scoped', chain: 'bubblewrap', launcher: 'stub' },
  { floor: 'sealed', chain: 'bubblewrap', launcher: 'stub' },
  { floor: 'scoped', chain: 'unshare', launcher: 'stub' },
  { floor: 'scoped', chain: 'stub', launcher: 'stub' },
  // A start of Node per command: the two that differ most in what it has to reach.
  { floor: 'sealed', chain: 'bubblewrap', launcher: 'koffi' },
  { floor: 'scoped', chain: 'stub', launcher: 'koffi' },
];

export function hostOf({ chain, launcher }: Variant): HostReport {
  const noNetwork = { usable: false, blocker: 'kernel_support_missing', reason: 'none here', fix: '' } as const;
  return {
    ...fullHost,
    uid: process.getuid!(),
    chain,
    launcher,
    hostTier: chain === 'bubblewrap' ? 'sealed' : 'full',
    ...(chain === 'stub' ? { network: noNetwork, noexec: false } : {}),
  };
}

/** Where sessions live: not under /tmp, and writable by whoever runs this. */
export const place = '/var/tmp';

export async function boxOf(variant: Variant, request: Parameters<typeof testBox>[2] = {}): Promise<TestBox> {
  const host = hostOf(variant);
  return testBox(place, programs, { host, decision: decisionFor(host, variant), readPaths, ...request });
}

const markers = { next: 0 };
/** Seconds to sleep that no other process of this machine sleeps. */
export const marker = () => `${100_000 + process.pid}.${markers.next++}`;

export function describeBox(variant: Variant): void {
  const { floor, chain, launcher } = variant;
  const isSealed = floor === 'sealed';
  const hasMounts = chain === 'bubblewrap' || chain === 'unshare';

  describe(`${floor}, ${chain}, played by ${launcher}`, () => {
    let it: TestBox;
    beforeAll(async () => {
      it = await boxOf(variant);
    });
    afterAll(() => it.close());
    const python = (code: string) =>
      it.run({ path: realpathSync('/usr/bin/python3'), argv0: 'python3', args: ['-Ic', code] });

    test('a command gets its arguments, its environment and its input, and nothing else of ours', async () => {
      const bash = realpathSync('/bin/bash');
      const env = { PATH: '/usr/bin', WORD: 'é"\n' };
      const script =
        'printf "%s|" "$0" "$@" "$WORD"; cat; while IFS= read -r -d "" line; do echo "$line"; done < /proc/self/environ';
      const outcome = await it.run({
        path: bash,
        argv0: 'bash',
        args: ['-c', script, 'zero', 'a b', ''],
        env,
        stdin: Buffer.from('in'),
      });
      expect(outcome).toEqual({ out: 'zero|a b||é"\n|inPATH=/usr/bin\nWORD=é"\n\n', err: '', exitCode: 0 });
    });

    test('an exit status comes through, and that of a child that a signal ended', async () => {
      expect((await it.run({ path: realpathSync('/bin/true') })).exitCode).toBe(0);
      expect((await it.sh('exit 7')).exitCode).toBe(7);
      expect((await it.sh('bash -c "kill -SEGV \\$\\$" 2>/dev/null; exit $?')).exitCode).toBe(139);
    });

    test('nothing outside can be read, nothing outside is written', async () => {
      const read = await it.sh('cat /etc/hostname');
      expect(read.err).toContain(isSealed ? 'No such file or directory' : 'Permission denied');
      const outside = join(place, `written-${process.pid}`);
      expect((await it.sh(`echo x > ${outside}`)).exitCode).toBe(1);
      expect(existsSync(outside)).toBe(false);
      expect((await it.sh('ls /root /home')).out).toBe('');
    });

    test.runIf(hasMounts)(
      'nor is the mode, the owner, a time or an attribute of what is outside changed by who owns it',
      async () => {
        const victim = join(place, `owned-${process.pid}`);
        writeFileSync(victim, 'x', { mode: 0o600 });
        onTestFinished(() => unlinkSync(victim));
        const { uid } = statSync('/dev/null');
        const targets = [victim, ...(uid === process.getuid!() ? ['/dev/null'] : [])];
        const calls = ['chmod(p, 0o666)', 'chown(p, os.getuid(), -1)', 'utime(p)', 'setxattr(p, "user.x", b"y")'];
        const tries = calls.map((call) => `lambda p: os.${call}`).join(', ');
        const code = `import os
for p in ${JSON.stringify(targets)}:
  for attempt in (${tries}):
    try: attempt(p); print("changed", p)
    except OSError: pass
open("own", "w").close(); os.chmod("own", 0o640); os.utime("own"); open("/dev/null", "w").write("x")
print(oct(os.stat("own").st_mode))`;
        expect(await python(code)).toEqual({ out: '0o100640\n', err: '', exitCode: 0 });
        expect(statSync(victim).mode & 0o777).toBe(0o600);
        unlinkSync(join(it.folders.work, 'own'));
      },
    );

    test('work, temp and home folder are written to, and the records are not', async () => {
      const { work, temp, home, records } = it.folders;
      await it.sh('echo 1 > here; echo 2 > $TMPDIR/there; echo 3 > $HOME/home');
      expect(
        [join(work, 'here'), join(temp, 'there'), join(home, 'home')].map((path) => readFileSync(path, 'utf8')),
      ).toEqual(['1\n', '2\n', '3\n']);
      expect((await it.sh(`echo x > ${records}/new`)).exitCode).toBe(1);
      expect(existsSync(join(records, 'new'))).toBe(false);
    });

    test('a planted program is not executed, under no name and from none of its folders', async () => {
      for (const folder of [it.folders.work, it.folders.temp, it.folders.home])
        copyFileSync('/usr/bin/id', join(folder, 'planted'));
      for (const path of ['./planted', '$TMPDIR/planted', '$HOME/planted', `${it.folders.temp}/planted`]) {
        const { exitCode, out } = await it.sh(path);
        expect([path, exitCode, out]).toEqual([path, 126, '']);
      }
      expect((await it.sh('exec -a bash ./planted')).exitCode).toBe(126);
    });

    test.runIf(hasMounts)('nor by the loader, at any path that leads to it', async () => {
      const loader = closureOf(['bash']).executable.find((path) => path.includes('/ld-'))!;
      for (const path of [
        './planted',
        '$TMPDIR/planted',
        '$HOME/planted',
        `${it.folders.temp}/planted`,
        '/usr/bin/id',
      ]) {
        const { exitCode, out } = await it.sh(`${loader} ${path}`);
        expect([path, exitCode === 0, out]).toEqual([path, false, '']);
      }
      const map = `import mmap; f=open("planted","rb"); mmap.mmap(f.fileno(),0,mmap.MAP_PRIVATE,mmap.PROT_READ|mmap.PROT_EXEC)`;
      expect((await python(map)).err).toContain('PermissionError');
    });

    test('no program is made in memory', async () => {
      const { err } = await python('import os; os.memfd_create("x", 0)');
      expect(err).toContain('PermissionError: [Errno 13]');
      const sealed = `import os; f=os.memfd_create("x", 8); os.write(f, open("planted","rb").read()); os.execve(f, ["id"], {})`;
      expect((await python(sealed)).err).toMatch(/PermissionError/);
    });

    test('sockets of the machine cannot be made, pairs within the command can', async () => {
      const ask = (what: string) =>
        python(`import socket\ntry: ${what}; print("made")\nexcept OSError as e: print(e.errno)`);
      expect((await ask('socket.socket(socket.AF_UNIX)')).out).toBe('13\n');
      expect((await ask('socket.socket(16, socket.SOCK_RAW)')).out).toBe('13\n');
      expect((await ask('socket.socket(38, socket.SOCK_SEQPACKET)')).out).toBe('1\n');
      expect((await ask('socket.socketpair()')).out).toBe('made\n');
      // The kernel lets one of datagrams be connected anew, to any socket of the machine that has a path.
      expect((await ask('socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)')).out).toBe('13\n');
      expect((await ask('socket.socket(socket.AF_INET)')).out).toBe(chain === 'stub' ? '13\n' : 'made\n');
    });

    test('what listens on this machine is not reached', async () => {
      const server = createServer((socket) => socket.destroy());
      let accepted = 0;
      server.on('connection', () => (accepted += 1));
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const { port } = server.address() as { port: number };
      const { err } = await python(`import socket; socket.create_connection(("127.0.0.1", ${port}), 2)`);
      expect(err).toMatch(/Error/);
      await new Promise((resolve) => server.close(resolve));
      expect(accepted).toBe(0);
    });

    test('a command holds no capability, gets none by an exec, and has the filter', async () => {
      const { out } = await it.sh('cat /proc/self/status');
      const value = (name: string) => new RegExp(`^${name}:\\s+(\\S+)`, 'm').exec(out)?.[1];
      for (const set of ['CapInh', 'CapPrm', 'CapEff', 'CapBnd', 'CapAmb']) {
        // Without root and without a user namespace the bounding set cannot be emptied; no_new_privs makes it void.
        if (set === 'CapBnd' && !hasMounts && process.getuid!() !== 0) continue;
        expect([set, value(set)]).toEqual([set, '0000000000000000']);
      }
      expect([value('NoNewPrivs'), value('Seccomp')]).toEqual(['1', '2']);
    });

    test('only the three standard descriptors are open', async () => {
      const { out } = await python('import os; print(sorted(int(n) for n in os.listdir("/proc/self/fd"))[:-1])');
      expect(out).toBe('[0, 1, 2]\n');
    });

    test.runIf(hasMounts)('a command sees no process but its own', async () => {
      const { out } = await python('import os; print([n for n in os.listdir("/proc") if n.isdigit()])');
      expect(out.split(',').length).toBeLessThanOrEqual(3);
      expect((await python(`import os; os.kill(${process.pid}, 0)`)).err).toContain('ProcessLookupError');
    });

    test('a step that fails is named, and nothing is left running', async () => {
      await expect(it.start({ path: '/nowhere/tool' })).rejects.toThrow(
        new StartFailure('exec of /nowhere/tool', 'No such file or directory (os error 2)'),
      );
      await expect(it.start({ path: realpathSync('/usr/bin/id') })).rejects.toThrow(
        /^sandbox: exec of \S+ failed before exec: Permission denied/,
      );
      const big = 'x'.repeat(100_000);
      const args = Array.from({ length: 60 }, () => big);
      await expect(it.start({ path: realpathSync('/bin/true'), args })).rejects.toThrow(/the limit is/);
    });

    test('SIGTERM reaches the command, which has its grace to end', async () => {
      const running = await it.start({
        path: realpathSync('/bin/bash'),
        argv0: 'bash',
        args: ['-c', 'trap "echo bye; exit 3" TERM; echo ready; while :; do sleep 0.05; done'],
      });
      await new Promise((resolve) => running.stdout.once('data', resolve));
      const [outcome] = await Promise.all([outcomeOf(running), running.terminate(30_000)]);
      expect(outcome).toMatchObject({ exitCode: 3, out: 'bye\n' });
      await running.terminate(0);
      await running.kill();
    });

    test('what does not heed it is killed', async () => {
      const seconds = marker();
      const running = await it.start({
        path: realpathSync('/bin/bash'),
        argv0: 'bash',
        args: ['-c', `trap "" TERM; echo ready; sleep ${seconds}; sleep ${seconds}`],
      });
      await new Promise((resolve) => running.stdout.once('data', resolve));
      await running.terminate(20);
      expect((await running.ended).exitCode).toBe(137);
      expect(pidsWith(seconds)).toEqual([]);
    });

    test.runIf(hasMounts)('a daemon ends with its command, and with the killing of it', async () => {
      for (let round = 0; round < (launcher === 'stub' ? 5 : 1); round += 1) {
        const [left, killed] = [marker(), marker()];
        const daemon = (seconds: string) =>
          `(setsid bash -c '(setsid bash -c "echo > up; exec sleep ${seconds}" >/dev/null 2>&1 &)' &); ` +
          'until [ -e up ]; do sleep 0.01; done; echo ready;';
        expect((await it.sh(`exec 2>/dev/null; ${daemon(left)}`)).out).toBe('ready\n');
        expect(pidsWith(left)).toEqual([]);
        unlinkSync(join(it.folders.work, 'up'));
        const running = await it.start({
          path: realpathSync('/bin/bash'),
          argv0: 'bash',
          args: ['-c', `${daemon(killed)} sleep ${killed}`],
        });
        await new Promise((resolve) => running.stdout.once('data', resolve));
        await vi.waitUntil(() => pidsWith(killed).length === 2, { timeout: 20_000, interval: 5 });
        await running.kill();
        expect(pidsWith(killed)).toEqual([]);
        expect(await running.ended).toEqual({ exitCode: 137, signal: 'SIGKILL' });
        unlinkSync(join(it.folders.work, 'up'));
      }
    });

    test('closing the box ends what runs in it', async () => {
      const other = await boxOf(variant);
      const seconds = marker();
      const running = await other.start({ path: realpathSync('/bin/sleep'), args: [seconds] });
      await other.close();
      expect(pidsWith(seconds)).toEqual([]);
      expect((await running.ended).signal).toBe('SIGKILL');
      await expect(other.start({ path: realpathSync('/bin/true') })).rejects.toThrow('the session has ended');
    });

    test.runIf(isSealed)('a sealed command knows its own account and no name of this machine', async () => {
      const { out } = await it.sh('cat /etc/passwd /etc/group; ls /etc');
      const uid = process.getuid!();
      expect(out).toContain(`:${it.folders.home}:/bin/sh\n`);
      expect(out.trim().split('\n')).toHaveLength(uid === 0 ? 2 : 4);
      expect((await it.sh('ls /usr')).out).toContain('bin\n');
      expect((await it.sh('echo x > /usr/new')).err).toContain('Read-only file system');
      expect((await it.sh('cd / && ls')).err).toContain('Permission denied');
      // Made of the host's /etc, of which nothing else may be left.
      expect(out).not.toContain('shadow');
      expect((await it.sh('[ -e /.host-etc ] || echo gone')).out).toBe('gone\n');
      const mounts = (await it.sh('cat /proc/self/mountinfo')).out.trim().split('\n');
      const at = (path: string) => mounts.map((line) => line.split(' ')).filter((fields) => fields[4] === path);
      expect(at('/').map((fields) => fields[5])).toEqual([expect.stringMatching(/^ro,nosuid,nodev/)]);
      expect(at('/usr/bin').at(-1)![5]).toMatch(/^ro,nosuid,nodev,noexec/);
      expect(at('/etc/ssl').at(-1)![5]).toMatch(/^ro,nosuid,nodev/);
      expect(mounts.join()).not.toContain('host-etc');
    });

    test.runIf(isSealed)('a sealed root that cannot be built ends the session by name', async () => {
      const other = await boxOf(variant, {
        readPaths: [{ path: '/nowhere/staged', access: 'execute', list: true, required: true }],
      });
      await expect(other.start({ path: realpathSync('/bin/true') })).rejects.toMatchObject({
        code: 'E-RUN-014',
        message: expect.stringContaining('/nowhere/staged'),
      });
      await other.close();
    });

    test('an image of the runtime is executable by its own process alone, which cannot write it or execute a copy', async () => {
      const image = join(it.folders.runtime, 'image');
      copyFileSync('/bin/bash', image);
      const extra = { executables: { binaries: [], executable: [image], readable: [] } };
      const line = `echo ran; echo > ${image}; cat ${image} > copy; (exec ./copy) || echo $?`;
      const own = await it.run({ path: image, argv0: 'image', args: ['-c', line], extra });
      expect(own.out).toBe('ran\n126\n');
      expect((await it.sh(`(exec ${image}) || echo $?`)).out).toBe('126\n');
    });

    test.runIf(!isSealed)('a folder of the session that is gone is named', async () => {
      const other = await boxOf(variant);
      const folder = join(other.folders.work, 'granted');
      mkdirSync(folder);
      const extra = { stateFolder: folder };
      expect((await outcomeOf(await other.start({ path: realpathSync('/bin/true'), extra }))).exitCode).toBe(0);
      rmdirSync(folder);
      await expect(other.start({ path: realpathSync('/bin/true'), extra })).rejects.toThrow(StartFailure);
      await other.close();
    });
  });
}
