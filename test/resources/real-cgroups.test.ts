import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants, existsSync, readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { defaultCapabilityPolicy } from '../../src/policy/index.js';
import { systemFiles } from '../../src/resources/cgroup/files.js';
import { baseGroup, parseCgroupMount, parseOwnGroup } from '../../src/resources/cgroup/parse.js';
import { removeGroup } from '../../src/resources/cgroup/remove.js';
import { openCgroupScope, sessionResources } from '../../src/resources/index.js';
import { systemClock } from '../../src/supervise/clock.js';

/** The group of this process, where it may make others. */
function writableBase(): string | undefined {
  if (process.platform !== 'linux') return undefined;
  const own = parseOwnGroup(readFileSync('/proc/self/cgroup', 'latin1'));
  const mount = parseCgroupMount(readFileSync('/proc/mounts', 'latin1'));
  if (own === undefined || mount === undefined) return undefined;
  try {
    accessSync(join(baseGroup(mount, own), 'cgroup.procs'), constants.W_OK);
    return baseGroup(mount, own);
  } catch {
    return undefined;
  }
}

const base = writableBase();
const resources = sessionResources(defaultCapabilityPolicy(), 'scoped');
const first = base === undefined ? undefined : await openCgroupScope({ sessionId: 'test', resources, workFolder: '/' });
const scope = first !== undefined && !('refused' in first) ? first : undefined;
const why = first !== undefined && 'refused' in first ? first.refused : 'no v2 group of this user';
await scope?.close();

test.skipIf(base === undefined)(
  `a group is removed with the process tree in it, daemons too${base === undefined ? ' (skipped: no v2 group of this user)' : ''}`,
  async () => {
    const group = join(base!, `murmur-test-${process.pid}`);
    await mkdir(group);
    const procs = systemFiles.openProcs(join(group, 'cgroup.procs'));
    const child = spawn(
      '/bin/sh',
      ['-c', 'echo 0 >&3 && exec 3>&- && (setsid sleep 600 >/dev/null 2>&1 &) && sleep 600'],
      {
        stdio: ['ignore', 'ignore', 'ignore', procs],
      },
    );
    const ended = once(child, 'exit');
    const members = () => readFileSync(join(group, 'cgroup.procs'), 'latin1').split('\n').filter(Boolean);
    while (members().length < 3) await sleep(5);
    const pids = members();
    expect(await removeGroup(systemFiles, group, systemClock)).toEqual({});
    expect(existsSync(group)).toBe(false);
    expect((await ended)[1]).toBe('SIGKILL');
    const running = pids.filter((pid) => existsSync(`/proc/${pid}`) && !/^State:\tZ/m.test(statusOf(pid)));
    expect(running).toEqual([]);
  },
);

function statusOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/status`, 'latin1');
  } catch {
    return 'State:\tZ';
  }
}

test.skipIf(base === undefined || scope !== undefined)(
  'a host whose controllers belong to v1 is refused by name',
  () => {
    expect(why).toMatch(/was not given the controllers .*memory|cannot hand its controllers|no group can be made/);
  },
);

test.skipIf(scope === undefined)(
  `a fork bomb stops at pids.max and is counted${scope === undefined ? ` (skipped: ${why})` : ''}`,
  async () => {
    const opened = await openCgroupScope({
      sessionId: 'test',
      resources: { ...resources, cgroupPidsMax: 16 },
      workFolder: '/',
    });
    if ('refused' in opened) throw new Error(opened.refused);
    const before = await opened.counters();
    const child = spawn('/bin/sh', ['-c', 'echo 0 >&3; for i in $(seq 40); do sleep 30 & done; wait'], {
      stdio: ['ignore', 'ignore', 'ignore', opened.procsFd],
    });
    const ended = once(child, 'exit');
    while ((await opened.counters()).pidsMax === before.pidsMax) await sleep(5);
    expect(await opened.close()).toEqual({});
    await ended;
  },
);
