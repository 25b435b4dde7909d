/**
 * What shows that the battery can see an escape at all: the same attempts with one withheld thing handed back, each of which has to
 * get through. Block nodes, the control the checklist proposes, cannot be handed back here: in a user namespace the kernel itself
 * refuses them.
 */
import { existsSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openBox } from '../../src/containment/box.js';
import { decide } from '../../src/containment/decide.js';
import { checkHostPaths, hostPathGrants, resolveHostPaths } from '../../src/containment/host-paths.js';
import { probeHost } from '../../src/containment/probe/index.js';
import { commandEnvironment } from '../../src/shell/environment.js';
import { type BoxKind, type Case, columns } from './case.js';
import { pythonOf, readEvidence } from './python.js';
import { type Entry, entryOf, type Where } from './record.js';
import { factsOf, openKind, pathOf, run, type Setting } from './session.js';
import type { Evidence } from './verdict.js';

const flips = columns(['ALLOWED', 'ALLOWED', 'ALLOWED']);
const row = (id: string, from: string, attempt: string, expect: Case['expect'], by: Case['by'] = {}) =>
  ({ id, from, attempt, kind: 'boundary', expect, by }) as const;

export const controlRows = {
  grant: row('control-grant', 'escape-cases 2, control', 'read-outside-workdir with its folder lent', flips),
  exec: row('control-exec', 'escape-cases 2, control', 'exec-renamed-disallowed-binary with workdir_exec', flips),
  unix: row('control-unix-sockets', 'escape-cases 2, control', 'unix-socket-creation with unix_sockets', flips),
  leak: row('control-leaked-fd', 'escape-cases 11', 'inherited-fd-after-exec without a launch program', flips),
  swap: row(
    'host-path-symlink-swap',
    'escape-cases 12',
    'a lent folder is replaced by a link while a command runs, which reads through it',
    columns(['n/a', 'REFUSED', 'REFUSED']),
    {
      EACCES: 'Landlock: the rule stays on the folder that was lent',
      ENOENT: 'what is mounted is the folder that was lent',
    },
  ),
  nested: row(
    'host-path-nested-swap',
    'escape-cases 12',
    'a command replaces a lent folder, inside of one lent for writing, by a link; the next command reads through it',
    columns(['n/a', 'REFUSED', 'REFUSED']),
    {
      'E-CAP-901': 'entries that would allow it are refused before the session',
    },
  ),
  credentials: row(
    'env-credential-strip',
    'escape-cases 12',
    'read credentials of the environment of the runtime',
    columns(['SUCCESS', 'SUCCESS', 'SUCCESS', 'SUCCESS']),
  ),
  home: row(
    'env-override-home',
    'escape-cases 12',
    'set HOME, TMPDIR and MURMUR_RUNTIME_DIR from outside',
    columns(['SUCCESS', 'SUCCESS', 'SUCCESS', 'SUCCESS']),
  ),
  launcher: row(
    'launcher-absent',
    'escape-cases 12',
    'no stub and no koffi: no tier, and the floor is not met',
    columns(['n/a', 'SUCCESS', 'SUCCESS']),
  ),
} as const;

export async function controls(setting: Setting, where: Where, cases: readonly Case[]): Promise<readonly Entry[]> {
  const again = (id: string) => cases.find((each) => each.id === id)!;
  const { root } = setting.ground;
  const lent = { path: join(root, 'outside'), access: 'read', list: true, required: true } as const;
  return [
    entryOf(
      controlRows.grant,
      where,
      await attempt({ ...setting, extra: [lent] }, 'plain', again('read-outside-workdir')),
    ),
    entryOf(controlRows.exec, where, await attempt(setting, 'workdir-exec', again('exec-renamed-disallowed-binary'))),
    entryOf(controlRows.unix, where, await attempt(setting, 'unix-sockets', again('unix-socket-creation'))),
    entryOf(controlRows.leak, where, await leakWithoutProgram(setting, again('inherited-fd-after-exec'))),
    entryOf(controlRows.swap, where, await swappedHostPath(setting)),
    entryOf(controlRows.nested, where, await nestedHostPath(setting)),
    ...(await environmentOf(setting, where)),
    entryOf(controlRows.launcher, where, await withoutLauncher(where)),
  ];
}

async function attempt(setting: Setting, kind: BoxKind, one: Pick<Case, 'id' | 'code'>): Promise<Evidence> {
  const box = await openKind(setting, kind);
  try {
    const { out, err } = await run(box, setting, 'python3', ['-I', '-'], {
      stdin: Buffer.from(pythonOf([one], factsOf(setting, box))),
    });
    return readEvidence(out, [one], err).get(one.id)!;
  } finally {
    await box.close();
  }
}

async function leakWithoutProgram(setting: Setting, one: Case): Promise<Evidence> {
  const host = { ...setting.host, launcher: null, chain: 'plain' } as const;
  const decision = decide(
    { ...host, hostTier: 'none' },
    {
      floor: 'advisory',
      workdirExec: false,
      runtimeInsideWorkdir: false,
      networkAllowEmpty: true,
      startsProcesses: true,
    },
  );
  const { folders } = setting.ground;
  const box = await openBox({
    host,
    decision,
    folders,
    policy: { unixSocketsAllowed: false, workdirExecAllowed: false },
    resources: { noCore: true },
    executables: setting.executables,
  });
  try {
    const { out, err } = await run(box, setting, 'python3', ['-I', '-'], {
      stdin: Buffer.from(pythonOf([one], factsOf(setting, box))),
    });
    return readEvidence(out, [one], err).get(one.id)!;
  } finally {
    await box.close();
  }
}

async function swappedHostPath(setting: Setting): Promise<Evidence> {
  const { root, folders } = setting.ground;
  const [path, away] = [join(root, 'lent-read'), join(root, 'lent-read.away')];
  const box = await openKind(setting, 'plain');
  const one = {
    id: 'swapped',
    code: `
write(W + '/waiting')
for _ in range(2000):
    if os.path.exists(W + '/swapped'): return read(P['lentRead'] + '/trace.jsonl')
    time.sleep(0.005)
none('nothing was swapped')`,
  };
  try {
    const running = run(box, setting, 'python3', ['-I', '-'], {
      stdin: Buffer.from(pythonOf([one], factsOf(setting, box))),
    });
    for (let n = 0; n < 2000 && !existsSync(join(folders.work, 'waiting')); n += 1) await sleep(5);
    renameSync(path, away);
    symlinkSync(join(root, 'other'), path);
    writeFileSync(join(folders.work, 'swapped'), '');
    const { out, err } = await running;
    return readEvidence(out, [one], err).get(one.id)!;
  } finally {
    await box.close();
    rmSync(path);
    renameSync(away, path);
    rmSync(join(folders.work, 'swapped'));
    rmSync(join(folders.work, 'waiting'));
  }
}

/** Two lent folders, one in the other, as an operator would write them; then what a capsule could do with them. */
async function nestedHostPath(setting: Setting): Promise<Evidence> {
  const { root } = setting.ground;
  const outer = join(root, 'lent-write');
  const inner = join(outer, 'inner');
  mkdirSync(inner, { recursive: true });
  const entries = [
    { path: outer, declared: outer, access: 'read-write' as const },
    { path: inner, declared: inner, access: 'read' as const },
  ];
  let lent: ReturnType<typeof resolveHostPaths>;
  try {
    lent = resolveHostPaths(entries, {
      userHome: '/nonexistent',
      murmurHome: '/nonexistent',
      workFolder: setting.ground.folders.work,
    });
    checkHostPaths(lent, { executables: setting.executables });
  } catch (error) {
    return { kind: 'errno', errno: (error as { code?: string }).code ?? '', detail: (error as Error).message };
  }
  const inside = { ...setting, extra: hostPathGrants(lent) };
  const swap = {
    id: 'swap',
    code: `os.rename(${JSON.stringify(inner)}, ${JSON.stringify(inner)} + '.away'); os.symlink(P['other'], ${JSON.stringify(inner)}); return 'swapped'`,
  };
  const swapped = await attempt(inside, 'plain', swap);
  if (swapped.kind !== 'through') return swapped;
  return attempt(inside, 'plain', { id: 'read', code: `return read(${JSON.stringify(inner)} + '/trace.jsonl')` });
}

export async function environmentOf(setting: Setting, where: Where): Promise<readonly Entry[]> {
  const planted = [
    'AWS_SECRET_ACCESS_KEY',
    'OPENAI_API_KEY',
    'ANTHROPIC_API_KEY',
    'GITHUB_TOKEN',
    'STRIPE_API_KEY',
    'NPM_TOKEN',
    'AWS_PROFILE',
    'KUBECONFIG',
  ];
  const { folders } = setting.ground;
  const box = await openKind(setting, 'plain');
  try {
    const env = commandEnvironment({
      policy: { shellBaselineEnv: planted, shellStripEnv: [] },
      hostEnv: { PATH: '/usr/bin', ...Object.fromEntries(planted.map((name) => [name, 'planted'])) },
      overrides: ['HOME', 'TMPDIR', 'MURMUR_RUNTIME_DIR'].map((name) => [name, '/elsewhere'] as const),
      folders: { home: folders.home, temp: box.tempPath, runtime: folders.runtime, records: folders.records },
    });
    const running = await box.start({
      path: pathOf(setting.executables, 'python3'),
      argv0: 'python3',
      args: ['-Ic', 'import os, json; print(json.dumps(dict(os.environ)))'],
      env,
    });
    running.stderr.resume();
    let out = '';
    for await (const chunk of running.stdout) out += chunk;
    const inside = JSON.parse(out) as Record<string, string>;
    const kept = Object.values(inside).filter((value) => value === 'planted').length;
    const own =
      inside.HOME === folders.home && inside.TMPDIR === box.tempPath && inside.MURMUR_RUNTIME_DIR === folders.runtime;
    return [
      entryOf(
        controlRows.credentials,
        where,
        kept === 0
          ? { kind: 'through', detail: `none of ${planted.length} planted` }
          : { kind: 'none', detail: `${kept} were there` },
      ),
      entryOf(
        controlRows.home,
        where,
        own ? { kind: 'through', detail: "the runtime's values" } : { kind: 'none', detail: out.slice(0, 200) },
      ),
    ];
  } finally {
    await box.close();
  }
}

async function withoutLauncher({ held }: Where): Promise<Evidence> {
  const host = await probeHost({ players: [] });
  const decision = decide(host, {
    floor: held,
    workdirExec: false,
    runtimeInsideWorkdir: false,
    networkAllowEmpty: true,
    startsProcesses: true,
  });
  return decision.tier === 'none' && (held === 'advisory' || !decision.floorMet)
    ? { kind: 'through', detail: `tier none, refused: ${decision.shortfallReason ?? decision.noTierBecause}` }
    : { kind: 'none', detail: `tier ${decision.tier}, floor met: ${decision.floorMet}` };
}
