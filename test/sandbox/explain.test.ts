import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { probeHost } from '../../src/containment/index.js';
import { place } from './mur.js';

const host = await probeHost();

describe.runIf(host.hostTier === 'sealed')('mur sandbox --explain', () => {
  test('says what a box made of flags gives and what holds it, and makes nothing', async () => {
    const it = place();
    const flags = ['--network', 'api.example', '--allow', 'no-such-program', '--env', 'CI', '--explain'];
    const { out, exitCode } = await it.run([...flags, '--', 'bash', '-c', 'touch ran']);
    expect(exitCode).toBe(0);
    for (const line of [
      /^Command\n {2}bash +\/\S+bash\n/,
      /\n {2}class +scoped \(asked for: scoped\)\n {2}mechanism +landlock\+seccomp\n/,
      /\n {2}programs +full +Landlock, and folders that are written to are mounted noexec\n/,
      /\n {2}network +full +a network that leads to the allowed hosts\n/,
      /\n {2}processes +full +/,
      new RegExp(`\\n {2}read-write +${it.work} \\(work folder\\)\\n`),
      /\n {2}no-such-program +not on PATH\n/,
      /\n {2}hosts +api\.example\n {2}unix sockets +no\n/,
      /\n {2}of yours +PATH .* CI\n/,
      /\n {2}memory_bytes +2 GiB\n/,
    ]) {
      expect(out).toMatch(line);
    }
    expect([existsSync(join(it.work, 'ran')), existsSync(join(it.home, '.murmur'))]).toEqual([false, false]);
  });

  test('of a manifest: the command that would be refused, and the report of its sessions', async () => {
    const it = place();
    writeFileSync(
      join(it.work, 'murmur.yaml'),
      'name: tried\nversion: "1.0.0"\ncapabilities: { containment: sealed, shell: { allow: [cat] } }\n',
    );
    const { out } = await it.run(['--manifest', 'murmur.yaml', '--explain', '--json', '--', 'curl', 'x']);
    expect(JSON.parse(out)).toMatchObject({
      manifest: 'murmur.yaml',
      command: { name: 'curl', path: null, refused: expect.stringContaining('capabilities.shell.allow') },
      programs: [{ name: 'cat', path: expect.stringMatching(/\/cat$/), missing: [] }],
      held: expect.arrayContaining([expect.objectContaining({ what: 'files', strength: 'full' })]),
      scope: { declared_containment: 'sealed', achieved_containment: 'sealed', floor_met: true },
    });
    const alone = await it.run(['--manifest', 'murmur.yaml', '--explain']);
    expect(alone.out).toMatch(/^Box\n {2}made of +murmur\.yaml\n/);
  });

  test('a floor that this host does not reach is told, not refused', async () => {
    const it = place();
    const words = ['--workdir-exec', '--containment', 'sealed', '--explain', '--', 'true'];
    const { out, exitCode } = await it.run(words);
    expect(out).toMatch(/\nmur sandbox would refuse here \(E-CAP-003\): .*workdir_exec.*\n$/);
    expect(exitCode).toBe(0);
  });

  test('wrong usage: no command, --json alone, a manifest and flags that would say the same', async () => {
    const it = place();
    const wrong = [[], ['--explain'], ['--json', '--', 'true'], ['--manifest', 'm.yaml', '--allow', 'x', '--', 'true']];
    for (const words of wrong) expect((await it.run(words)).exitCode).toBe(2);
  });

  test('warns of no key that only a manifest could have written', async () => {
    const it = place();
    const { err } = await it.run(['--explain', '--', 'git', 'status']);
    expect(err).toBe('');
    expect((await it.run(['--verbose', '--explain', '--', 'git', 'status'])).err).toContain('[W-SEC-009]');
  });
});
