/**
 * What holds the commands of a session: limits, network and box, opened in that order because each needs the one before. Held by a
 * resource scope, so that all of it is given back youngest first. The one way into a box: a session's commands (command-session.ts)
 * and `mur sandbox` (src/sandbox) both come through here, so that what is tried by hand is what a session gets.
 * Not what is decided (src/stage/contain.ts) nor what runs inside (command.ts).
 * Read next: ../containment/box.ts, ../resources/session.ts, ../containment/egress/index.ts.
 */
import { type Box, openBox, type SessionFolders } from '../containment/box.js';
import { dialer, type EgressDenied, openSessionNetwork, type SessionNetwork } from '../containment/egress/index.js';
import { MurError } from '../errors/index.js';
import type { SessionFolders as StagedFolders } from '../home/index.js';
import type { CapabilityPolicy, NetworkRule } from '../policy/index.js';
import { openSessionLimits, type SessionLimits } from '../resources/index.js';
import { defaultVariables, type Variable } from '../shell/index.js';
import type { Reach } from '../stage/containment.js';
import { limitsRequest } from '../stage/limits.js';
import type { ResourceScope } from '../supervise/scope.js';

/** The folders of a session as its box has them. */
export function boxFolders({
  accessibleWorkdir,
  recordsDir,
  runtimeDir,
}: Pick<StagedFolders, 'accessibleWorkdir' | 'recordsDir' | 'runtimeDir'>): SessionFolders {
  return {
    work: accessibleWorkdir,
    temp: `${recordsDir}/tmp`,
    home: `${recordsDir}/home`,
    runtime: runtimeDir,
    records: recordsDir,
  };
}

export interface SessionBoxRequest {
  readonly sessionId: string;
  /** What was decided for this session, checked already. */
  readonly reach: Reach;
  /** All there, and not links. */
  readonly folders: SessionFolders;
  readonly policy: CapabilityPolicy;
  /** `network.allow`, parsed. */
  readonly rules: readonly NetworkRule[];
  /** Names that may resolve to private addresses. */
  readonly privateNames: readonly string[];
  /** Gives everything back. */
  readonly scope: ResourceScope;
  /** Told of each connection and name that was refused. */
  readonly onRefused: (denied: EgressDenied) => void;
  /** Told what the end of the session could not take away. */
  readonly onLeft: (what: string) => void;
}

export interface SessionBox {
  readonly box: Box;
  /** Variables that its commands have unless something else sets them. */
  readonly defaults: readonly Variable[];
  readonly limits: SessionLimits;
}

/** Longest the end of all commands may take: the grace of one that was told to end, and its kill. */
export const sweepMs = 8_000;

/** Throws what keeps commands from being started: `E-RUN-012`, `E-CAP-005`, a folder that cannot be used. */
export async function openSessionBox(request: SessionBoxRequest): Promise<SessionBox> {
  const { sessionId, reach, folders, policy, scope, onLeft } = request;
  const { decision, host, programs } = reach;
  if (host === undefined || programs === undefined) throw new Error('the programs of this session were not looked for');
  const limits = await openSessionLimits(
    limitsRequest(host, { sessionId, floor: decision.floor, policy, workFolder: folders.work }),
  );
  const { scope: cgroup } = limits;
  if (cgroup !== undefined) {
    scope.use('cgroup', async () => {
      const { left } = await cgroup.close();
      if (left !== undefined) onLeft(left);
    });
  }
  const network = await openNetwork(request);
  const box = await openBox({
    host,
    decision,
    folders,
    policy,
    resources: limits.resources,
    ...(cgroup === undefined ? {} : { cgroup }),
    ...(network === undefined ? {} : { network }),
    executables: programs.executables,
    readPaths: programs.readPaths,
    readOnly: policy.readOnlyPaths,
  });
  scope.use('box', () => box.close(), { deadlineMs: sweepMs });
  return { box, limits, defaults: defaultVariables(decision.tier) };
}

/** Absent when nothing may be reached: each command then has a network of its own that leads nowhere. */
async function openNetwork(request: SessionBoxRequest): Promise<SessionNetwork | undefined> {
  const { rules, reach, privateNames, scope, onRefused } = request;
  const { decision, host } = reach;
  if (rules.length === 0 || decision.tier === 'none' || decision.noInet) return undefined;
  const opened = await openSessionNetwork({
    rules,
    dial: dialer({ privateNames }),
    onRefused,
    unshare: host?.unshare ?? null,
  });
  if ('refused' in opened) {
    throw new MurError('E-CAP-005', `the network of this session's commands could not be made: ${opened.refused}`, {
      hint: 'run mur doctor; or empty capabilities.network.allow, and commands run with no network at all',
    });
  }
  scope.use('session network', () => opened.close());
  return opened;
}
