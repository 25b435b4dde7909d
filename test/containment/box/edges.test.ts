import { spawn } from 'node:child_process';
import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, test, vi } from 'vitest';
import { mapsTemp } from '../../../src/containment/box.js';
import { openSessionNetwork } from '../../../src/containment/egress/index.js';
import { koffi } from '../../../src/liveness/native.js';
import { pidsWith } from '../../fixtures/processes.js';
import { closureOf, decisionFor, fullHost, outcomeOf, testBox } from './host.js';
import { boxOf, hostOf, marker, place, type Variant } from './suite.js';

const scoped: Variant = { floor: 'scoped', chain: 'bubblewrap', launcher: 'stub' };
const bash = realpathSync('/bin/bash');
const isLinux = process.platform === 'linux';

function sessionFolders(root: string) {
  const folder = (...path: string[]) => {
    mkdirSync(join(root, ...path), { recursive: true });
    return join(root, ...path);
  };
  const records = folder('records');
  return {
    work: folder('work'),
    records,
    temp: folder('records', 'tmp'),
    home: folder('records', 'home'),
    runtime: folder('runtime'),
  };
}

describe.runIf(isLinux)('a box at its edges', () => {
  test('without a tier a command runs as it is, in the work folder, with its limits', async () => {
    for (const launcher of ['stub', null] as const) {
      const host = { ...fullHost, launcher, hostTier: 'none' as const, chain: 'plain' as const };
      const it = await testBox(place, ['bash'], { host, decision: decisionFor(host, { floor: 'unconfined' }) });
      expect(it.box.tempPath).toBe(it.folders.temp);
      expect((await it.sh('pwd')).out).toBe(`${it.folders.work}\n`);
      expect((await it.sh('cat /etc/hostname; exit 3')).exitCode).toBe(3);
      await expect(it.start({ path: '/nowhere/tool' })).rejects.toThrow(/^sandbox: .*failed before exec/);
      const running = await it.start({ path: realpathSync('/bin/sleep'), args: [marker()] });
      await running.terminate(10_000);
      expect(await running.ended).toEqual({ exitCode: 143, signal: 'SIGTERM' });
      await it.close();
    }
  });

  test('a host with nothing to play a program with starts nothing that should be contained', async () => {
    const host = { ...fullHost, launcher: null };
    await expect(testBox(place, ['bash'], { host })).rejects.toThrow(/nothing to play a launch program with/);
  });

  test('limits are those of the session, and a command cannot raise them', async () => {
    const it = await boxOf(scoped, {
      resources: { noCore: true, maxOpenFiles: 16, cpuSeconds: 7, maxFileSizeBytes: 4096 },
    });
    expect((await it.sh('ulimit -n; ulimit -c; ulimit -St; ulimit -Ht')).out).toBe('16\n0\n7\n8\n');
    expect((await it.sh('ulimit -n 17 2>/dev/null || echo refused')).out).toBe('refused\n');
    expect((await it.sh('bash -c "printf %05000d 1 > big"; exit $?')).exitCode).toBe(153);
    await it.close();
  });

  test('a descriptor that leaked into the runtime does not reach a command', async () => {
    const fcntl = koffi()!.load(null).func('int fcntl(int fd, int command, int value)');
    const fd = openSync('/etc/hostname', 'r');
    fcntl(fd, 2, 0);
    for (const chain of ['bubblewrap', 'unshare', 'stub'] as const) {
      const it = await boxOf({ ...scoped, chain });
      const { out } = await it.sh('ls /proc/self/fd');
      expect([chain, out]).toEqual([chain, '0\n1\n2\n3\n']);
      await it.close();
    }
    closeSync(fd);
  });

  test('a folder replaced by a link to elsewhere is not followed', async () => {
    const it = await boxOf(scoped);
    const moved = `${it.folders.temp}-moved`;
    renameSync(it.folders.temp, moved);
    symlinkSync('/etc', it.folders.temp);
    const outcome = await it.sh('cat /tmp/hostname').catch((error: Error) => error);
    expect(outcome instanceof Error || outcome.exitCode !== 0).toBe(true);
    rmSync(it.folders.temp);
    renameSync(moved, it.folders.temp);
    expect((await it.sh('echo fine')).out).toBe('fine\n');
    await it.close();
  });

  test('a program of the work folder that a command replaces by a link gives it nothing of what the link leads to', async () => {
    for (const variant of [
      scoped,
      { ...scoped, floor: 'sealed' },
      { ...scoped, chain: 'unshare' },
      { ...scoped, chain: 'stub' },
    ] as const) {
      const root = realpathSync(mkdtempSync(join(place, 'linked-')));
      const [tools, secret] = [join(root, 'work', 'deep', 'bin'), join(root, 'secret')];
      for (const folder of [tools, secret]) mkdirSync(folder, { recursive: true });
      writeFileSync(join(secret, 'key'), 'hush\n');
      writeFileSync(join(tools, 'tool'), `#!${bash}\n`, { mode: 0o755 });
      const tool = { name: 'tool', path: join(tools, 'tool'), first: true, image: 'script' } as const;
      const { binaries, executable, readable } = closureOf(['bash', 'cat', 'mv', 'mkdir', 'ln']);
      const folder = (path: string, access: 'read' | 'execute') => ({ path, access, list: true, required: false });
      const it = await boxOf(variant, {
        folders: sessionFolders(root),
        executables: {
          binaries: [...binaries, tool],
          executable: [...executable, tool.path],
          readable: [...readable, folder(tools, 'read'), folder(join(root, 'work', 'deep'), 'execute')],
        },
      });
      const swap = `cat ${secret}/key; mv deep old; mkdir -p deep; ln -s ${secret} deep/bin; mkdir other; ln -s ${secret} other/tool`;
      expect((await it.sh(swap)).out).toBe('');
      for (const line of [
        `cat ${secret}/key deep/bin/key`,
        `mv deep/bin deep/b; mv other deep/bin; cat ${secret}/key deep/bin/tool/key`,
      ]) {
        const { out } = await it.sh(line).catch(() => ({ out: '' }));
        expect([variant.floor, variant.chain, out]).toEqual([variant.floor, variant.chain, '']);
      }
      await it.close();
      rmSync(root, { recursive: true });
    }
  });

  test('an image of the runtime is executed where the operator put the runtime folder into the work folder', async () => {
    const root = realpathSync(mkdtempSync(join(place, 'inside-')));
    const folders = { ...sessionFolders(root), runtime: join(root, 'work', 'runtime') };
    mkdirSync(folders.runtime);
    const image = join(folders.runtime, 'tool');
    writeFileSync(image, `#!${bash}\necho ran\n`, { mode: 0o755 });
    const decision = decisionFor(hostOf(scoped), { floor: 'advisory', runtimeInsideWorkdir: true });
    const it = await boxOf(scoped, { folders, decision });
    const extra = { executables: { binaries: [], executable: [image], readable: [] } };
    expect(await it.run({ path: image, extra })).toMatchObject({ out: 'ran\n', exitCode: 0 });
    await expect(it.run({ path: image })).rejects.toThrow(/Permission denied/);
    await it.close();
    rmSync(root, { recursive: true });
  });

  test('a work folder whose path leads elsewhere by the time a command starts gives nothing of that', async () => {
    for (const chain of ['bubblewrap', 'unshare', 'stub'] as const) {
      const root = realpathSync(mkdtempSync(join(place, 'swapped-')));
      const folders = sessionFolders(root);
      mkdirSync(join(root, 'secret'));
      writeFileSync(join(root, 'secret', 'key'), 'hush\n');
      const it = await boxOf({ ...scoped, chain }, { folders });
      expect((await it.sh('echo fine')).out).toBe('fine\n');
      renameSync(folders.work, join(root, 'moved'));
      symlinkSync('secret', folders.work);
      const { out } = await it.sh(`cat ${root}/secret/key key`).catch(() => ({ out: '' }));
      expect(out).toBe('');
      await it.close();
      rmSync(root, { recursive: true });
    }
  });

  test('workdir_exec lets a command run what is in the work and the temp folder, and not what is in its home', async () => {
    const policy = { unixSocketsAllowed: false, workdirExecAllowed: true };
    const decision = decisionFor(hostOf(scoped), { floor: 'advisory', workdirExec: true });
    const it = await boxOf(scoped, { policy, decision });
    for (const folder of [it.folders.work, it.folders.temp, it.folders.home]) {
      writeFileSync(join(folder, 'made'), `#!${bash}\necho ran\n`, { mode: 0o755 });
    }
    expect((await it.sh('./made; $TMPDIR/made; $HOME/made')).out).toBe('ran\nran\n');
    await it.close();
  });

  test('a command is in the network of its session, or without one in a network of its own, never in that of the machine', async () => {
    const network = await openSessionNetwork({
      rules: [],
      dial: () => Promise.reject(new Error('refused')),
      onRefused: () => {},
    });
    if ('refused' in network) throw new Error(network.refused);
    const python = realpathSync('/usr/bin/python3');
    const code = 'import os; print(os.readlink("/proc/self/ns/net"))';
    const ours = readlinkSync('/proc/self/ns/net');
    for (const chain of ['bubblewrap', 'unshare', 'stub'] as const) {
      const host = { ...fullHost, uid: process.getuid!(), chain };
      const decision = decisionFor(host, {});
      for (const session of [network, undefined]) {
        const it = await boxOf(scoped, { host, decision, ...(session === undefined ? {} : { network: session }) });
        const { out } = await it.run({ path: python, argv0: 'python3', args: ['-Ic', code] });
        expect([chain, out]).toEqual([chain, expect.stringMatching(/^net:\[\d+\]\n$/)]);
        expect(out.trim()).not.toBe(ours);
        if (session !== undefined) expect(out.trim()).toBe(readlinkSync(`/proc/self/fd/${session.netnsFd}`));
        await it.close();
      }
    }
    await network.close();
  });

  test('a network that cannot be entered is named, and nothing is started without it', async () => {
    const fd = openSync('/dev/null', 'r');
    for (const floor of ['scoped', 'sealed'] as const) {
      const it = await boxOf({ ...scoped, floor }, { network: { usernsFd: fd, netnsFd: fd } });
      const seconds = marker();
      const started = it.start({ path: realpathSync('/bin/sleep'), args: [seconds] });
      await expect(started).rejects.toThrow(/entry of the user namespace of the session.*: invalid argument/i);
      expect(pidsWith(seconds)).toEqual([]);
      await it.close();
    }
    closeSync(fd);
  });

  test('unix sockets can be made where the capsule may', async () => {
    const it = await boxOf(scoped, { policy: { unixSocketsAllowed: true, workdirExecAllowed: false } });
    const python = realpathSync('/usr/bin/python3');
    const code = 'import socket; socket.socket(socket.AF_UNIX); print("made")';
    expect((await it.run({ path: python, argv0: 'python3', args: ['-Ic', code] })).out).toBe('made\n');
    await it.close();
  });

  test('a native tool has its state folder, and a command beside it does not', async () => {
    const it = await boxOf(scoped);
    const state = join(it.folders.work, '..', 'state');
    mkdirSync(state);
    const script = { path: bash, argv0: 'bash', args: ['-c', `echo kept > ${state}/file && echo wrote`] };
    expect((await it.run({ ...script, extra: { stateFolder: realpathSync(state) } })).out).toBe('wrote\n');
    expect((await it.run(script)).out).toBe('');
    await it.close();
  });

  test('sixteen commands at once all come back, and no descriptor of ours is left', async () => {
    const it = await boxOf(scoped);
    await it.sh('true');
    const before = readdirSync('/proc/self/fd').length;
    const all = await Promise.all(Array.from({ length: 16 }, (_, index) => it.sh(`echo ${index}; exit ${index}`)));
    expect(all.map(({ out, exitCode }) => [Number(out), exitCode])).toEqual(all.map((_, index) => [index, index]));
    await it.close();
    expect(readdirSync('/proc/self/fd').length).toBeLessThanOrEqual(before);
  });

  test('killing a command while its output is not read leaves nothing', async () => {
    const it = await boxOf(scoped);
    const seconds = marker();
    const running = await it.start({
      path: bash,
      argv0: 'bash',
      args: ['-c', `sleep ${seconds} & while :; do echo flood; done`],
    });
    await running.kill();
    expect(pidsWith(seconds)).toEqual([]);
    expect((await outcomeOf(running)).signal).toBe('SIGKILL');
    await it.close();
  });

  test('a runtime that is killed takes its commands along, on every chain', async () => {
    const box = pathToFileURL(resolve(import.meta.dirname, '../../../dist/src/containment/box.js')).href;
    for (const chain of ['bubblewrap', 'unshare', 'stub'] as const) {
      const it = await boxOf({ ...scoped, chain });
      const seconds = marker();
      const request = JSON.stringify({
        host: hostOf({ ...scoped, chain }),
        decision: decisionFor(hostOf({ ...scoped, chain }), {}),
        folders: it.folders,
        policy: { unixSocketsAllowed: false, workdirExecAllowed: false },
        resources: { noCore: true },
        executables: closureOf(['sleep']),
      });
      const code = `const { openBox } = await import('${box}'); const box = await openBox(${request});
        await box.start({ path: '${realpathSync('/bin/sleep')}', argv0: 'sleep', args: ['${seconds}'], env: {} });
        process.stdout.write('ready'); setInterval(() => {}, 1000);`;
      const runtime = spawn(process.execPath, ['--input-type=module', '-e', code], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      await new Promise((ready) => runtime.stdout.once('data', ready));
      expect([chain, pidsWith(seconds).length]).toEqual([chain, expect.toSatisfy((count: number) => count >= 1)]);
      runtime.kill('SIGKILL');
      await vi.waitUntil(() => pidsWith(seconds).length === 0, { timeout: 20_000, interval: 10 });
      await it.close();
    }
  });

  test('a session under /tmp keeps its folders where they are', () => {
    expect(mapsTemp('full', true, { work: '/tmp/w', temp: '/r/t', home: '/r/h', runtime: '/rt', records: '/r' })).toBe(
      false,
    );
  });
});
