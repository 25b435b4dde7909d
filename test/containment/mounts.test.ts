import { describe, expect, test } from 'vitest';
import { mountArguments, mountChangeSteps, mountSteps } from '../../src/containment/mount-arguments.js';
import { type Kind, type MountsAsked, mapsTemp, planMounts } from '../../src/containment/mounts.js';
import { callsOf } from '../../src/containment/steps.js';
import { syntheticFiles } from '../../src/containment/synthetic.js';

const folders = { work: '/srv/work', temp: '/srv/s/tmp', home: '/srv/s/home', runtime: '/srv/run', records: '/srv/s' };
const kinds: Record<string, Kind> = {
  '/usr': 'directory',
  '/usr/bin': 'directory',
  '/usr/sbin': 'directory',
  '/bin': 'link',
  '/lib': 'link',
  '/usr/bin/bash': 'file',
  '/usr/lib/ld.so': 'file',
  '/opt/py/bin': 'directory',
  '/opt/py/bin/python': 'file',
  '/srv/work/tool': 'file',
  '/data': 'directory',
  '/etc/hosts': 'file',
  '/etc/ssl': 'directory',
  '/etc/localtime': 'link',
  '/dev/null': 'other',
  '/stub': 'file',
};
const asked: MountsAsked = {
  tier: 'sealed',
  folders,
  isTempMapped: true,
  workdirExec: false,
  noexec: true,
  grants: [],
  executable: ['/usr/bin/bash', '/usr/lib/ld.so'],
  binaries: ['/usr/bin/bash'],
  player: ['/stub'],
  host: {
    kind: (path) => kinds[path] ?? (path.startsWith('/srv') ? 'directory' : undefined),
    link: (path) => `usr${path}`,
  },
};
const argumentsOf = (rest: Partial<MountsAsked> = {}, bindFd = true) =>
  mountArguments(planMounts({ ...asked, ...rest }), true, {
    held: () => (bindFd ? 9 : undefined),
    data: (content) => (content === 'passwd' ? 7 : 8),
  }).join(' ');
const innerOf = (rest: Partial<MountsAsked> = {}) =>
  planMounts({ ...asked, ...rest }).inner.map(({ from, path, point = 'there' }) => `${from} at ${path}, ${point}`);
const changesOf = (rest: Partial<MountsAsked> = {}) =>
  planMounts({ ...asked, ...rest }).changes.map(({ path, set, clear = [], recursive }) =>
    [path, ...set, ...clear.map((flag) => `-${flag}`), ...(recursive ? ['below'] : [])].join(' '),
  );

describe('a sealed plan', () => {
  test('is, in its order: system, devices, the session, and then a root that is read-only', () => {
    expect(argumentsOf()).toBe(
      [
        '--symlink usr/bin /bin --symlink usr/lib /lib',
        '--perms 0644 --file 7 /etc/passwd --perms 0644 --file 8 /etc/group',
        '--tmpfs /dev --dev-bind-try /dev/null /dev/null',
        '--symlink /proc/self/fd /dev/fd --symlink /proc/self/fd/0 /dev/stdin',
        '--symlink /proc/self/fd/1 /dev/stdout --symlink /proc/self/fd/2 /dev/stderr',
        '--remount-ro /dev --proc /proc',
        '--bind-fd 9 /tmp --ro-bind-try /usr /usr --ro-bind-try /stub /stub',
        '--ro-bind /srv/s /srv/s --ro-bind /srv/run /srv/run --bind-fd 9 /srv/work',
        '--ro-bind-try /etc/localtime /etc/localtime --bind-fd 9 /srv/s/home --bind-fd 9 /srv/s/tmp',
        '--ro-bind /etc /.host-etc',
      ].join(' '),
    );
    expect(innerOf()).toEqual([
      '/usr/bin at /usr/bin, there',
      '/usr/sbin at /usr/sbin, there',
      '/.host-etc/hosts at /etc/hosts, file',
      '/.host-etc/ssl at /etc/ssl, directory',
      '/usr/bin/bash at /usr/bin/bash, there',
    ]);
  });

  test('takes the /etc of the host away before the root becomes read-only, and then starts the command', () => {
    const steps = mountChangeSteps(callsOf('x64'), planMounts(asked)).map(({ step }) => step);
    const at = (step: string) => steps.indexOf(step);
    expect(at('mount of /etc/ssl')).toBeGreaterThan(at('making of /etc/ssl'));
    expect(at('umount of /.host-etc')).toBeGreaterThan(at('mount of /usr/bin/bash'));
    expect(at('removal of /.host-etc')).toBeGreaterThan(at('umount of /.host-etc'));
    expect(at('mount_setattr of /usr/bin')).toBeGreaterThan(at('umount of /.host-etc'));
    expect(steps.at(-1)).toBe('mount_setattr of /');
  });

  test('is all of bubblewrap where launch programs cannot mount, and where Node is the player', () => {
    for (const rest of [{ noexec: false }, { player: ['/srv/node', '/srv/pkg'] }]) {
      expect(innerOf(rest)).toEqual([]);
      expect(argumentsOf(rest)).toMatch(/--ro-bind-try \/usr\/bin\/bash \/usr\/bin\/bash .*--remount-ro \/$/);
      expect(argumentsOf(rest)).toContain('--ro-bind-try /etc/ssl /etc/ssl');
    }
  });

  test('takes nothing from a folder that a capsule writes to', () => {
    const work = { path: '/srv/work/lib', access: 'read' as const, list: true, required: true };
    expect(innerOf({ grants: [work], executable: ['/srv/work/lib/tool'] }).join()).not.toContain('/srv/work');
  });

  test('shows the whole /etc where that is granted, with accounts of its own', () => {
    const grants = [{ path: '/etc', access: 'read' as const, list: true, required: true }];
    expect(argumentsOf({ grants })).toMatch(/--ro-bind \/etc \/etc .*--ro-bind-data 7 \/etc\/passwd /);
    expect(innerOf({ grants }).join()).not.toContain('/etc');
  });

  test('never makes a /dev of bubblewrap, which would take the right to change mounts', () => {
    for (const tier of ['sealed', 'full'] as const) expect(argumentsOf({ tier }).split(' ')).not.toContain('--dev');
  });

  test('leaves only what is allowed executable in folders of programs and in all that is writable', () => {
    expect(changesOf()).toEqual([
      '/tmp noexec nosuid nodev below',
      '/srv/s noexec nosuid nodev below',
      '/srv/run noexec nosuid nodev below',
      '/srv/work noexec nosuid nodev below',
      '/usr/bin noexec',
      '/usr/sbin noexec',
      '/srv/s/home noexec nosuid nodev below',
      '/srv/s/tmp noexec nosuid nodev below',
      '/dev readonly below',
      '/ readonly',
    ]);
  });

  test('lets what a capsule wrote be executed under workdir_exec, in work and temp folder alone', () => {
    expect(changesOf({ workdirExec: true })).toEqual(
      expect.arrayContaining(['/tmp nosuid nodev below', '/srv/work nosuid nodev below', '/srv/s/tmp -noexec']),
    );
    expect(changesOf({ workdirExec: true })).toContain('/srv/s/home noexec nosuid nodev below');
  });

  test('shows the folder of a program elsewhere, with that program alone executable in it', () => {
    const python = { executable: ['/opt/py/bin/python'], binaries: ['/opt/py/bin/python'] };
    expect(argumentsOf(python)).toContain('--ro-bind-try /opt/py/bin /opt/py/bin');
    expect(innerOf(python)).toContain('/opt/py/bin/python at /opt/py/bin/python, there');
    expect(changesOf(python)).toContain('/opt/py/bin noexec');
  });

  test('keeps a program in the work folder, allowed by name, executable and read-only', () => {
    const tool = { executable: ['/srv/work/tool'], binaries: ['/srv/work/tool'] };
    expect(argumentsOf(tool)).toMatch(/--bind-fd 9 \/srv\/work .*--ro-bind-try \/srv\/work\/tool \/srv\/work\/tool/);
    expect(changesOf(tool)).toContain('/srv/work/tool -noexec');
  });

  test('binds what must be there so that its absence is an error, and skips what need not be', () => {
    const grant = (path: string, required: boolean) => ({ path, access: 'read' as const, list: true, required });
    const grants = [
      grant('/missing', true),
      grant('/also-missing', false),
      grant('/data', false),
      grant('/usr/share', false),
    ];
    expect(argumentsOf({ grants })).toContain('--ro-bind /missing /missing');
    expect(argumentsOf({ grants })).toContain('--ro-bind-try /data /data');
    expect(argumentsOf({ grants })).not.toContain('also-missing');
    expect(argumentsOf({ grants })).not.toContain('/usr/share');
  });

  test('keeps its own /proc and /dev, whatever is granted', () => {
    const grants = ['/', '/proc', '/dev/sda', '/proc/sys'].map((path) => ({
      path,
      access: 'read-write' as const,
      list: true,
      required: true,
    }));
    expect(argumentsOf({ grants })).toBe(argumentsOf());
  });

  test('mounts a granted folder of programs noexec all the same', () => {
    const grants = [{ path: '/usr/bin', access: 'read' as const, list: true, required: false }];
    expect(changesOf({ grants })).toContain('/usr/bin noexec');
  });

  test('binds by path where bubblewrap takes no descriptor', () => {
    expect(argumentsOf({}, false)).toContain('--bind /srv/s/tmp /tmp');
  });

  test('takes Node away again where Node is the player, unless it is allowed', () => {
    const player = ['/srv/node', '/srv/pkg'];
    expect(planMounts({ ...asked, player }).detach).toEqual(player);
    expect(planMounts({ ...asked, player, executable: ['/srv/node'] }).detach).toEqual(['/srv/pkg']);
  });
});

describe('a scoped plan', () => {
  test('lets the image of a native tool be executed where the runtime wrote it, and nothing beside it', () => {
    const image = '/srv/run/tools/probe/probe';
    const executable = [...asked.executable, image];
    expect(argumentsOf({ tier: 'full', executable })).toContain(`--ro-bind ${image} ${image}`);
    const changes = changesOf({ tier: 'full', executable });
    expect(changes).toContain('/srv/run noexec nosuid nodev below');
    expect(changes.at(-1)).toBe(`${image} -noexec`);
    expect(argumentsOf({ tier: 'full' })).not.toContain(image);
  });

  test('is the tree of the host with a private /proc, and mounts for all that can be written to', () => {
    const grants = [{ path: '/data', access: 'read-write' as const, list: true, required: true }];
    expect(argumentsOf({ tier: 'full', grants })).toBe(
      [
        '--dev-bind / / --proc /proc --bind-fd 9 /tmp --bind /data /data',
        '--ro-bind /srv/s /srv/s --ro-bind /srv/run /srv/run --bind-fd 9 /srv/work',
        '--bind-fd 9 /srv/s/home --bind-fd 9 /srv/s/tmp',
      ].join(' '),
    );
    expect(changesOf({ tier: 'full', grants })).toContain('/data noexec nosuid nodev below');
  });

  test('is read-only but for what may be written to, parents first, before that is narrowed', () => {
    const writable = (path: string) => [`${path} -readonly below`, `${path} -readonly`];
    expect(changesOf({ tier: 'full' }).slice(0, 11)).toEqual([
      '/ readonly below',
      ...writable('/tmp'),
      '/srv/s readonly below',
      '/srv/run readonly below',
      ...writable('/srv/work'),
      ...writable('/srv/s/home'),
      ...writable('/srv/s/tmp'),
    ]);
    // Where a command is held to nothing else, neither is it to this.
    expect(changesOf({ tier: 'seccomp' }).join()).not.toContain('readonly');
  });

  test('leaves /tmp alone where it is not the temp folder', () => {
    for (const tier of ['full', 'sealed'] as const) {
      expect(argumentsOf({ tier, isTempMapped: false })).not.toMatch(/ \/tmp( |$)/);
    }
  });

  test('changes no mount where the host cannot', () => {
    for (const tier of ['full', 'sealed'] as const) expect(changesOf({ tier, noexec: false })).toEqual([]);
  });

  test('makes the same mounts without bubblewrap, and makes them read-only only when all are there', () => {
    const steps = mountSteps(callsOf('x64'), planMounts({ ...asked, tier: 'full' }), true).map(({ step }) => step);
    expect(steps.slice(0, 7)).toEqual(
      ['/proc', '/tmp', '/srv/s', '/srv/run', '/srv/work', '/srv/s/home', '/srv/s/tmp'].map(
        (path) => `mount of ${path}`,
      ),
    );
    expect(steps.slice(7).every((step) => step.startsWith('mount_setattr'))).toBe(true);
  });
});

test('the temp folder is /tmp where mounts can be made, and not for a session that lives there', () => {
  const below = { ...folders, work: '/tmp/work' };
  expect(mapsTemp('full', true, folders)).toBe(true);
  expect(mapsTemp('seccomp', true, folders)).toBe(true);
  expect(mapsTemp('full', false, folders)).toBe(false);
  expect(mapsTemp('none', true, folders)).toBe(false);
  expect(mapsTemp('full', true, below)).toBe(false);
  expect(mapsTemp('full', true, { ...folders, work: '/tmpwork' })).toBe(true);
  expect(mapsTemp('sealed', true, folders)).toBe(true);
  // A mount in a folder that commands write to would be made by way of whatever they left there.
  expect(mapsTemp('sealed', true, below)).toBe(false);
  expect(mapsTemp('sealed', true, folders, ['/opt/x', '/tmp/lent'])).toBe(false);
});

test('accounts are made up, and a home that would forge one is refused', () => {
  expect(syntheticFiles({ uid: 0, gid: 0, home: '/h' })).toEqual({
    passwd: 'root:x:0:0:root:/h:/bin/sh\n',
    group: 'root:x:0:\n',
  });
  expect(syntheticFiles({ uid: 1000, gid: 100, home: '/h' })).toEqual({
    passwd: 'root:x:0:0:root:/root:/bin/sh\ncapsule:x:1000:100:Murmur capsule:/h:/bin/sh\n',
    group: 'root:x:0:\ncapsule:x:100:\n',
  });
  for (const home of ['/a:b', '/a\nroot:x:0:0::/:/bin/sh'])
    expect(() => syntheticFiles({ uid: 1, gid: 1, home })).toThrow(/home folder/);
});
