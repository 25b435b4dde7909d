/** What a run of this project would say of its commands on this host: what holds its read-only paths, and what they will miss. */
import type { HostReport } from '../containment/host.js';
import { noReadOnlyMounts } from '../containment/read-only.js';
import { isMurError } from '../errors/index.js';
import type { LifecycleConfig } from '../manifest/index.js';
import { type Reach, type ReachAsked, reachOf } from '../stage/containment.js';
import { programWarnings } from '../stage/programs.js';
import type { Block, Finding } from './doctor-block.js';

/** What holds read-only paths besides the check of calls. */
export interface CommandHold {
  readonly commands: 'mounts' | null;
  readonly because: string | null;
}

export interface CommandSurvey {
  readonly hold: CommandHold;
  /** Nothing, unless there is something to say. */
  readonly block: Block;
}

/** Warnings that spec/diagnostics.md 8 gives to `mur doctor`, and ours. */
const told: ReadonlySet<string> = new Set(['W-SEC-012', 'W-SEC-029', 'W-SEC-907', 'W-SEC-908']);

/** Asks allowed interpreters and compilers what they need, as a launch does. Without a host, nothing is asked and nothing is claimed. */
export async function surveyCommands(
  asked: ReachAsked,
  host: HostReport | undefined,
  lifecycle: Pick<LifecycleConfig, 'taskAcceptance' | 'afterTask'>,
): Promise<CommandSurvey> {
  const startsCommands = asked.policy.shellAllow.length + (asked.nativeTools ?? []).length > 0;
  if (!startsCommands) return surveyOf({ commands: null, because: 'the capsule starts no commands' });
  if (host === undefined) return surveyOf({ commands: null, because: 'containment was not probed (--no-probe)' });
  let reach: Reach;
  try {
    reach = await reachOf(asked, host);
  } catch (error) {
    if (!isMurError(error)) throw error;
    const { code, message: text, hint } = error;
    const refused: Finding = { level: 'error', code, text, ...(hint === undefined ? {} : { fix: hint }) };
    return surveyOf({ commands: null, because: 'its commands would be refused' }, [refused]);
  }
  const because = noReadOnlyMounts(reach.decision, host) ?? null;
  const warnings = reach.programs === undefined ? [] : programWarnings(asked, lifecycle, reach.programs);
  return surveyOf(
    { commands: because === null ? 'mounts' : null, because },
    [],
    warnings.filter(({ code }) => told.has(code)).map((warning) => ({ ...warning, origin: 'runtime' as const })),
  );
}

function surveyOf(
  hold: CommandHold,
  findings: readonly Finding[] = [],
  warnings: NonNullable<Block['warnings']> = [],
): CommandSurvey {
  const json = [...findings, ...warnings.map(({ code, message: text }) => ({ level: 'warning', code, text }))];
  return { hold, block: { key: 'commands', title: 'Commands', lines: findings, json, warnings } };
}
