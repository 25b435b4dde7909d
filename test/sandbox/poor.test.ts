import { existsSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { probeHost } from '../../src/containment/index.js';
import { cloneOfNamespaces, without } from '../containment/poor-host.js';
import { ended, place, says } from './mur.js';

const [EPERM, EINVAL, ENOSYS] = [1, 22, 38];
const host = await probeHost();
const canBePoor = host.hostTier === 'sealed' && host.network.usable && existsSync('/usr/bin/perl');

const noNamespaces = without({ unshare: EPERM, mount: EPERM, clone: cloneOfNamespaces });

describe.runIf(canBePoor)('mur sandbox on a poor host', () => {
  test('no user namespaces: sealed and an allowed host are refused by name, and nothing runs unsealed', async () => {
    const it = place();
    const wrapper = noNamespaces;
    const sealed = await it.run(['--containment', 'sealed', '--', 'touch', 'ran'], { wrapper });
    expect(sealed.err).toMatch(
      /error\[E-CAP-003\].*'sealed' is not achievable.*unshare\(CLONE_NEWUSER \| CLONE_NEWNS\)/,
    );
    const network = await it.run(['--network', 'api.example', '--', 'touch', 'ran'], { wrapper });
    expect(network.err).toMatch(/error\[E-CAP-005\].*network namespace[\s\S]*hint: /);
    expect([sealed.exitCode, network.exitCode, existsSync(`${it.work}/ran`), it.left()]).toEqual([125, 125, false, []]);
  });

  test('no user namespaces: scoped without a host runs, without sockets', async () => {
    const it = place();
    const script = '(exec 3<>/dev/tcp/127.0.0.1/9) 2>&1 | head -1; cat /etc/shadow; echo made > made; cat made';
    const { out, err } = await it.run(['--', 'bash', '-c', script], { wrapper: noNamespaces });
    expect(out).toMatch(/\/dev\/tcp.*|socket: Permission denied\nmade\n$/);
    expect(out).toMatch(/\nmade\n$/);
    expect(err).toMatch(/shadow: Permission denied/);
    const told = await it.run(['--explain', '--json', '--', 'bash'], { wrapper: noNamespaces });
    const { held, scope } = JSON.parse(told.out);
    expect(scope.enforcement_tier).toBe('landlock+seccomp+noinet');
    expect(held).toContainEqual({ what: 'processes', strength: 'partial', detail: expect.stringContaining('group') });
  });

  test('no Landlock: refused, also where workdir_exec takes the class anyway; advisory says what is missing', async () => {
    const it = place();
    const wrapper = without({ landlock_create_ruleset: ENOSYS });
    for (const words of [[], ['--workdir-exec']]) {
      const { err, exitCode } = await it.run([...words, '--', 'touch', 'ran'], { wrapper });
      expect(err).toMatch(/error\[E-CAP-003\].*'scoped' is not achievable.*Landlock/);
      expect([exitCode, existsSync(`${it.work}/ran`)]).toEqual([125, false]);
    }
    const asked = await it.run(['--containment', 'advisory', '--', 'echo', 'ran'], { wrapper });
    expect(asked).toMatchObject({ out: 'ran\n', exitCode: 0, err: expect.stringContaining('W-SEC-002') });
  });

  test('no seccomp: refused; advisory says that nothing is around the command', async () => {
    const it = place();
    const wrapper = without({ seccomp: EINVAL });
    expect((await it.run(['--', 'true'], { wrapper })).err).toMatch(/error\[E-CAP-003\].*seccomp/);
    const asked = await it.run(['--containment', 'advisory', '--', 'echo', 'ran'], { wrapper });
    expect(asked).toMatchObject({ out: 'ran\n', exitCode: 0, err: expect.stringContaining('W-SEC-001') });
  });

  test('no bubblewrap that works: Ctrl-C ends a command that is the first of its namespace', async () => {
    const it = place();
    const child = it.start(['--', 'bash', '-c', 'echo ready; exec sleep 300'], {
      wrapper: without({ pivot_root: EPERM }),
    });
    const end = ended(child);
    await says(child, 'ready');
    child.kill('SIGINT');
    expect((await end).exitCode).toBe(130);
  });
});
