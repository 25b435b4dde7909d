import { MurError, type WarningCode } from '../errors/index.js';
import type { ContainmentClass } from '../manifest/index.js';
import type { CapabilityPolicy } from '../policy/index.js';
import { type CgroupHost, openCgroupScope, systemCgroups } from './cgroup/scope.js';
import { cgroupKeys, sessionResources } from './limits.js';
import type { CgroupScope, IoMaxOutcome, ResolvedResources } from './types.js';

export interface SessionLimitsRequest {
  readonly sessionId: string;
  readonly platform: NodeJS.Platform;
  readonly uid: number;
  readonly floor: ContainmentClass;
  /** A command, a child or a native tool may be started. */
  readonly startsProcesses: boolean;
  /** Something plays a launch program, so that rlimits are set at all. */
  readonly hasLauncher: boolean;
  readonly policy: Pick<CapabilityPolicy, 'resources' | 'declaredResources'>;
  readonly workFolder: string;
}

/** What bounds the native processes of a session, and what of it the host does not enforce. */
export interface SessionLimits {
  readonly resources: ResolvedResources;
  readonly cgroup: 'scope' | 'none' | 'not-wanted';
  /** Present exactly when `cgroup` is `scope`; the session closes it. */
  readonly scope?: CgroupScope;
  readonly maxProcessesEnforced: boolean;
  readonly ioMax: IoMaxOutcome;
  /** Why something of it does not hold here; absent for what holds, and for what is not wanted. */
  readonly because: { readonly scope?: string; readonly rlimits?: string; readonly maxProcesses?: string };
  readonly warnings: readonly { readonly code: WarningCode; readonly message: string }[];
}

const hint =
  'delegate a cgroup v2 tree to the user (systemd: run mur as the user of a login session, or systemd-run --user --scope -p Delegate=yes mur …), or remove the cgroup_* keys';

/**
 * The limits of a session, with its cgroup made where one is wanted. Throws `E-RUN-012` when a limit the manifest itself declares
 * cannot be applied; a default that cannot be is a warning, because most developer machines and containers have no delegated
 * tree (spec/resources.md 4.1).
 */
export async function openSessionLimits(
  request: SessionLimitsRequest,
  host: CgroupHost = systemCgroups,
): Promise<SessionLimits> {
  const { limits, refusal } = await open(request, host);
  if (refusal !== undefined) throw refusal;
  return limits;
}

/**
 * What a session would get, for a report: its cgroup is made and removed again, because nothing else tells what can be written to one
 * (spec/resources.md 4.4). A launch that would be refused is reported.
 */
export async function measureSessionLimits(
  request: SessionLimitsRequest,
  host: CgroupHost = systemCgroups,
): Promise<Omit<SessionLimits, 'scope'>> {
  const { scope, ...limits } = (await open(request, host)).limits;
  await scope?.close();
  return limits;
}

async function open(
  request: SessionLimitsRequest,
  host: CgroupHost,
): Promise<{ readonly limits: SessionLimits; readonly refusal?: MurError }> {
  const { floor, platform, policy } = request;
  const resources = sessionResources(policy, floor);
  const declared = cgroupKeys(policy.declaredResources);
  const isWanted = request.startsProcesses && (floor !== 'unconfined' || declared.length > 0);
  if (!isWanted) return { limits: withoutScope(request, resources, 'not-wanted') };
  if (platform !== 'linux') {
    return { limits: withoutScope(request, resources, 'none', `${platform} has no cgroups`) };
  }
  const opened = await openCgroupScope(
    { sessionId: request.sessionId, resources, workFolder: request.workFolder },
    host,
  );
  if (!('refused' in opened)) return { limits: withScope(request, resources, opened) };
  const limits = withoutScope(request, resources, 'none', opened.refused);
  if (declared.length === 0) return { limits };
  const refusal = new MurError(
    'E-RUN-012',
    `capabilities.resources.${declared.join(', ')} cannot be applied: ${opened.refused}`,
    { hint, details: { fields: declared } },
  );
  return { limits, refusal };
}

function withScope(
  { policy, ...request }: SessionLimitsRequest,
  resources: ResolvedResources,
  scope: CgroupScope,
): SessionLimits {
  const { ioMax } = scope;
  const isIoDeclared = policy.declaredResources.cgroupIoBytesPerSec !== undefined;
  const ioWarning: SessionLimits['warnings'] =
    isIoDeclared && ioMax.status === 'unavailable'
      ? [{ code: 'W-SEC-021', message: `cgroup_io_bytes_per_sec is not applied: ${ioMax.reason}` }]
      : [];
  const isCounted = resources.cgroupPidsMax !== undefined || canCount(request, resources);
  return {
    resources,
    cgroup: 'scope',
    scope,
    maxProcessesEnforced: isCounted,
    ioMax,
    because: reasons(request, isCounted),
    warnings: [...ioWarning, ...(isCounted ? [] : asRoot(request))],
  };
}

function withoutScope(
  request: SessionLimitsRequest,
  resources: ResolvedResources,
  cgroup: 'none' | 'not-wanted',
  reason?: string,
): SessionLimits {
  const isCounted = canCount(request, resources);
  return {
    resources,
    cgroup,
    maxProcessesEnforced: isCounted,
    ioMax: ioWithout(request, resources, reason),
    because: { ...(reason === undefined ? {} : { scope: reason }), ...reasons(request, isCounted) },
    warnings: [
      ...(reason === undefined
        ? []
        : [
            {
              code: 'W-SEC-010' as const,
              message: `commands of this session share no limit on memory, processes and processor time: ${reason}`,
            },
          ]),
      ...asRoot(request),
    ],
  };
}

function ioWithout(
  { platform }: Pick<SessionLimitsRequest, 'platform'>,
  resources: ResolvedResources,
  reason: string | undefined,
): IoMaxOutcome {
  if (platform !== 'linux' || reason === undefined || resources.cgroupIoBytesPerSec === undefined) {
    return { status: 'not-required' };
  }
  return { status: 'unavailable', reason };
}

function reasons(
  { uid, hasLauncher }: Pick<SessionLimitsRequest, 'uid' | 'hasLauncher'>,
  isCounted: boolean,
): Pick<SessionLimits['because'], 'rlimits' | 'maxProcesses'> {
  const rlimits = hasLauncher ? undefined : 'nothing on this host sets limits of a process before it starts';
  const exempt = uid === 0 ? 'the kernel exempts root from RLIMIT_NPROC, and no cgroup counts processes' : undefined;
  const maxProcesses = isCounted ? undefined : (rlimits ?? exempt);
  return { ...(rlimits === undefined ? {} : { rlimits }), ...(maxProcesses === undefined ? {} : { maxProcesses }) };
}

/** RLIMIT_NPROC is set, and the kernel heeds it for this user. */
function canCount(
  { uid, hasLauncher }: Pick<SessionLimitsRequest, 'uid' | 'hasLauncher'>,
  resources: ResolvedResources,
): boolean {
  return hasLauncher && uid !== 0 && resources.maxProcesses !== undefined;
}

function asRoot({
  uid,
  floor,
  startsProcesses,
}: Pick<SessionLimitsRequest, 'uid' | 'floor' | 'startsProcesses'>): SessionLimits['warnings'] {
  if (uid !== 0 || floor === 'unconfined' || !startsProcesses) return [];
  return [
    {
      code: 'W-SEC-901',
      message:
        'mur runs as root and has no cgroup that counts processes, so max_processes is not enforced: the kernel exempts root from it',
    },
  ];
}
