/** The battery of one user: every class through every player. Runs in a process of that user; `leakedDescriptor` leaks into it on purpose. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openSessionNetwork } from '../../src/containment/egress/index.js';
import type { HostReport } from '../../src/containment/host.js';
import { probeHost } from '../../src/containment/probe/index.js';
import type { BoxKind, Case } from './case.js';
import { controlRows, controls, environmentOf } from './controls.js';
import { daemons } from './daemons.js';
import { exfiltrate } from './exfiltrate.js';
import { killDrill, killRows, startVictim } from './kill.js';
import { ceilings, limitRows } from './limits.js';
import { pythonOf, readEvidence } from './python.js';
import { type Entry, entryOf, refusedEntry, type Where } from './record.js';
import { sandboxed, sandboxRows } from './sandbox.js';
import { environment, executablesOf, factsOf, openKind, pathOf, prepareGround, run, type Setting } from './session.js';
import { batteryCases, isHarmless } from './table.js';
import type { Class, Evidence } from './verdict.js';
import { realWork, workRows, workWithNetwork } from './work.js';

export interface UserRun {
  readonly user: string;
  /** Writable by this user; nobody else uses it. */
  readonly place: string;
  readonly suidFolder: string | null;
  readonly isShort: boolean;
  readonly only?: string;
  readonly held?: Class;
  readonly player?: 'stub' | 'koffi';
  readonly killRounds: number;
  readonly main: string;
  /** Where what was found is written. */
  readonly output: string;
}

export interface UserResult {
  readonly entries: readonly Entry[];
  /** Why nothing was run: no record then. */
  readonly refused?: string;
  readonly host?: Pick<HostReport, 'hostTier' | 'landlockAbi' | 'chain' | 'bubblewrap'>;
}

/** What one session is run for. The koffi player starts Node for each command, so less of it is in the short run. */
interface Plan {
  readonly held: Class;
  readonly player: 'stub' | 'koffi';
  readonly parts: 'all' | 'attempts' | 'unconfined';
}

/** Nothing is around these: only attempts that change nothing of the machine, and show what the same attempts do in a box. */
const unconfined: Plan = { held: 'unconfined', player: 'stub', parts: 'unconfined' };

function plansOf({ isShort, held, player }: UserRun): readonly Plan[] {
  const all: readonly Plan[] = isShort
    ? [
        { held: 'scoped', player: 'stub', parts: 'all' },
        { held: 'sealed', player: 'stub', parts: 'all' },
        { held: 'sealed', player: 'koffi', parts: 'attempts' },
        unconfined,
      ]
    : [
        ...(['stub', 'koffi'] as const).flatMap((each) =>
          (['advisory', 'scoped', 'sealed'] as const).map((name): Plan => ({ held: name, player: each, parts: 'all' })),
        ),
        unconfined,
      ];
  return all.filter((plan) => (held ?? plan.held) === plan.held && (player ?? plan.player) === plan.player);
}

export async function runUser(asked: UserRun): Promise<UserResult> {
  const host = await probeHost();
  if (host.hostTier !== 'sealed') {
    return {
      entries: [],
      refused: `this host backs no more than tier '${host.hostTier}': ${host.sealedBlocker?.reason ?? host.noTierBecause ?? ''}`,
    };
  }
  const pathFolders = ['/usr/bin', '/bin', ...(asked.suidFolder === null ? [] : [asked.suidFolder])].join(':');
  const executables = await executablesOf(pathFolders);
  const network = await openSessionNetwork({
    rules: [],
    dial: () => Promise.reject(new Error('nothing is allowed')),
    onRefused: () => {},
  });
  if ('refused' in network) return { entries: [], refused: network.refused };
  const entries: Entry[] = [];
  try {
    for (const [index, plan] of plansOf(asked).entries()) {
      const place = join(asked.place, `${plan.held}-${plan.player}`);
      mkdirSync(place, { mode: 0o755 });
      const ground = await prepareGround(place, `t${process.pid}n${index}`);
      const setting: Setting = {
        host: { ...host, launcher: plan.player },
        held: plan.held,
        executables,
        ground,
        network,
        pathFolders,
      };
      const where: Where = { user: asked.user, held: plan.held, player: plan.player };
      try {
        const refused = await preflight(setting);
        if (refused !== undefined) return { entries: [], refused };
        entries.push(...(await runPlan(asked, plan, setting, where)));
      } finally {
        await ground.close();
      }
    }
  } finally {
    await network.close();
  }
  const { hostTier, landlockAbi, chain, bubblewrap } = host;
  return {
    entries: asked.only === undefined ? entries : entries.filter(({ id }) => id === asked.only),
    host: { hostTier, landlockAbi, chain, bubblewrap },
  };
}

/** The interpreter runs and answers, or nothing that follows would mean anything. */
async function preflight(setting: Setting): Promise<string | undefined> {
  const box = await openKind(setting, 'plain');
  try {
    const done = await run(box, setting, 'python3', [
      '-Ic',
      'import ctypes, socket, mmap; ctypes.CDLL(None); print("here")',
    ]);
    return done.out === 'here\n'
      ? undefined
      : `the interpreter does not run in a box: exit ${done.exitCode} ${done.err.slice(-400)}`;
  } finally {
    await box.close();
  }
}

async function runPlan(asked: UserRun, plan: Plan, setting: Setting, where: Where): Promise<readonly Entry[]> {
  if (plan.parts === 'unconfined') {
    const { network: _, ...machine } = setting;
    const harmless = batteryCases.filter(({ id }) => isHarmless(id));
    return [
      ...(await attempts(machine, where, 'plain', harmless, asked.suidFolder)),
      ...(await environmentOf(machine, where)),
    ];
  }
  const cases = batteryCases.filter((each) => (asked.isShort ? each.short : true));
  const kinds = [...new Set(cases.map(({ box }) => box))];
  const wants = (rows: Readonly<Record<string, { readonly id: string }>>) =>
    asked.only === undefined || Object.values(rows).some(({ id }) => id === asked.only);
  const entries: Entry[] = [];
  const step = (name: string) => process.stderr.write(`${where.user} ${where.held} ${where.player}: ${name}\n`);
  for (const kind of kinds) {
    step(`attempts, ${kind}`);
    entries.push(
      ...(await attempts(
        setting,
        where,
        kind,
        cases.filter(({ box }) => box === kind),
        asked.suidFolder,
      )),
    );
  }
  if (plan.parts === 'attempts') return entries;
  if (wants(controlRows)) {
    step('controls');
    entries.push(...(await controls(setting, where, batteryCases)));
  }
  step('network');
  const { network: _, ...without } = setting;
  entries.push(...(await exfiltrate(without, where, (inside, api) => workWithNetwork(inside, where, api))));
  if (wants(workRows)) {
    step('work');
    entries.push(...(await realWork(setting, where, asked.isShort)));
  }
  if (wants(limitRows)) {
    step('ceilings');
    entries.push(...(await ceilings(setting, where, asked.isShort)));
  }
  if (wants(sandboxRows) && plan.held !== 'advisory' && plan.player === 'stub') {
    step('mur sandbox');
    entries.push(...(await sandboxed(setting, where)));
  }
  if (wants(killRows) && plan.held !== 'advisory' && (plan.player === 'stub' || !asked.isShort)) {
    step('kill drill');
    const file = join(asked.place, `${plan.held}-${plan.player}.json`);
    writeFileSync(file, JSON.stringify({ ...setting, network: undefined }));
    entries.push(
      ...(await killDrill(setting, where, {
        // With the koffi player each start is one of Node: a quarter of the rounds.
        rounds: plan.player === 'stub' || asked.isShort ? asked.killRounds : asked.killRounds / 4,
        victim: (seconds) => startVictim(asked.main, ['--victim', file, seconds]),
      })),
    );
  }
  return entries;
}

async function attempts(
  setting: Setting,
  where: Where,
  kind: BoxKind,
  cases: readonly Case[],
  suidFolder: string | null,
): Promise<readonly Entry[]> {
  const box = await openKind(setting, kind);
  try {
    const facts = factsOf(setting, box);
    const extra = { stateFolder: facts.state as string };
    const { err: toolError } = await run(box, setting, 'cat', [join(extra.stateFolder, 'kept')], { extra });
    if (toolError !== '') throw new Error(`the tool cannot read its own store: ${toolError}`);
    const { out, err } = await run(box, setting, 'python3', ['-I', '-'], {
      stdin: Buffer.from(pythonOf(cases, facts)),
    });
    const found = readEvidence(out, cases, err);
    return cases.map((each) => {
      if (each.id === 'set-user-id-program' && suidFolder === null)
        return refusedEntry(each, where, 'only root can place a set-user-id program');
      return entryOf(each, where, checked(each.id, found.get(each.id)!, setting));
    });
  } finally {
    await box.close();
  }
}

/** What the inside cannot know: that the bytes written to /tmp are in the temp folder of the session and nowhere else. */
function checked(id: string, evidence: Evidence, { ground }: Setting): Evidence {
  if (id !== 'write-outside-workdir' || evidence.kind !== 'through') return evidence;
  const isInside = existsSync(join(ground.folders.temp, ground.token));
  const isOutside = existsSync(join('/tmp', ground.token));
  if (isInside && !isOutside)
    return {
      kind: 'through',
      detail: "the bytes are in the session's temp folder, and the machine's /tmp is unchanged",
    };
  return { kind: 'none', detail: `in the temp folder: ${isInside}, in the machine's /tmp: ${isOutside}` };
}

/** The process that a round of the drill kills: the same box, the same daemons. */
export async function playVictim(setting: Setting, seconds: string): Promise<void> {
  const box = await openKind(setting, 'plain');
  const running = await box.start({
    path: pathOf(setting.executables, 'bash'),
    argv0: 'bash',
    args: ['-c', `${daemons(seconds)}; wait`],
    env: environment(box, setting.ground),
  });
  running.stderr.resume();
  running.stdout.pipe(process.stdout);
  await running.ended;
}
