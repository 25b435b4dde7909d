/**
 * Opens what the commands of a session need, in the order each part needs the one before: limits, network, box. All of it is held by
 * the session's resource scope, so that it is given back youngest first, on every way out: the commands end, then the box, then the
 * network, then the cgroup. Loaded for sessions that have commands.
 * Read next: command.ts, ../containment/box.ts, ../resources/session.ts.
 */
import { openBox } from '../containment/box.js';
import { dialer, openSessionNetwork, type SessionNetwork } from '../containment/egress/index.js';
import { MurError } from '../errors/index.js';
import { openSessionLimits, openSizeGuard, type SessionLimits, sizeError } from '../resources/index.js';
import { type ScopeInput, scopeReport } from '../scope/index.js';
import { needed } from '../stage/draft.js';
import { abandonedSummary, Commands } from './command.js';
import { type SessionWorld, traceOf } from './world.js';

/** Longest the end of all commands may take: the grace of one that was told to end, and its kill. */
const sweepMs = 8_000;

/** Throws what keeps the session from starting: `E-RUN-012`, `E-CAP-005`, a folder that cannot be used. */
export async function openCommands(world: SessionWorld): Promise<Commands> {
  const { draft } = world;
  const { request, scope, clock } = draft;
  const { decision, host, programs, scope: reported } = needed(draft.reach, 'contain');
  if (host === undefined || programs === undefined) throw new Error('the programs of this session were not looked for');
  const staged = needed(draft.folders, 'mint');
  const folders = {
    work: staged.accessibleWorkdir,
    temp: `${staged.recordsDir}/tmp`,
    home: `${staged.recordsDir}/home`,
    runtime: staged.runtimeDir,
    records: staged.recordsDir,
  };

  const limits = await openSessionLimits({
    sessionId: staged.sessionId,
    platform: host.platform,
    uid: host.uid,
    floor: decision.floor,
    startsProcesses: true,
    hasLauncher: host.launcher !== null,
    policy: request.policy,
    workFolder: folders.work,
  });
  const { scope: cgroup } = limits;
  if (cgroup !== undefined) scope.use('cgroup', () => cgroup.close());
  for (const { code, message } of limits.warnings) draft.warn(code, message);
  draft.scopeReport = scopeReport({ ...reported, resources: measured(limits) });

  const breach = watchSize(world, limits, [folders.work, folders.temp]);
  const network = await openNetwork(world);
  const box = await openBox({
    host,
    decision,
    folders,
    policy: request.policy,
    resources: limits.resources,
    ...(cgroup === undefined ? {} : { cgroup }),
    ...(network === undefined ? {} : { network }),
    executables: programs.executables,
    readPaths: programs.readPaths,
  });
  scope.use('box', () => box.close(), { deadlineMs: sweepMs });

  const commands = new Commands({
    box,
    clock,
    policy: request.policy,
    hostEnv: request.hostEnv,
    // Read for each command: the address is known once the door listens.
    get identity() {
      return identityOf(world);
    },
    folders: { temp: box.tempPath, runtime: folders.runtime },
    records: staged.recordsRoot,
    trace: traceOf(world),
    log: (entry) => world.log.write(entry),
    ...(cgroup === undefined ? {} : { counters: () => cgroup.counters() }),
    ...(breach === undefined ? {} : { breach }),
  });
  const end = async (): Promise<void> => {
    const summary = abandonedSummary(await commands.sweep());
    if (summary !== undefined) draft.notify({ type: 'warning', code: '', message: summary, origin: 'runtime' });
  };
  scope.use('commands', end, { deadlineMs: sweepMs });
  return commands;
}

/** Looks at the size of the folders from now on. */
function watchSize(world: SessionWorld, { resources }: SessionLimits, folders: readonly string[]) {
  const { workdirMaxBytes: maxBytes } = resources;
  if (maxBytes === undefined) return undefined;
  const { clock, scope } = world.draft;
  const guard = openSizeGuard({
    folders,
    maxBytes,
    clock,
    onBreach: (breach) => {
      const { code, message } = sizeError(breach);
      world.log.write({ level: 'error', message, code });
      world.draft.notify({ type: 'warning', code: '', message, origin: 'runtime' });
    },
  });
  scope.use('size guard', () => guard.close());
  world.breach = () => guard.breach();
  return world.breach;
}

/** Absent when nothing may be reached: each command then has a network of its own that leads nowhere. */
async function openNetwork(world: SessionWorld): Promise<SessionNetwork | undefined> {
  const { draft } = world;
  const { decision, host } = needed(draft.reach, 'contain');
  const rules = needed(draft.networkCeiling, 'validate');
  if (rules.length === 0 || decision.tier === 'none' || decision.noInet) return undefined;
  const opened = await openSessionNetwork({
    rules,
    dial: dialer({ privateNames: draft.request.privateNames }),
    onRefused: ({ reason, target }) =>
      world.log.write({ level: 'warn', message: `a command was refused a connection to ${target}`, reason }),
    unshare: host?.unshare ?? null,
  });
  if ('refused' in opened) {
    throw new MurError('E-CAP-005', `the network of this session's commands could not be made: ${opened.refused}`, {
      hint: 'run mur doctor; or empty capabilities.network.allow, and commands run with no network at all',
    });
  }
  draft.scope.use('session network', () => opened.close());
  return opened;
}

function measured({ cgroup, maxProcessesEnforced, ioMax }: SessionLimits): NonNullable<ScopeInput['resources']> {
  return { cgroup: cgroup === 'scope' ? cgroup : 'none', maxProcessesEnforced, ioMax };
}

function identityOf({ draft, url }: SessionWorld): readonly (readonly [string, string])[] {
  const { request, sessionId } = draft;
  return [
    ['MURMUR_SESSION_ID', needed(sessionId, 'mint')],
    ['MURMUR_CAPSULE_NAME', request.capsuleName],
    ['MURMUR_CAPSULE_VERSION', request.capsuleVersion],
    ...(url === undefined ? [] : ([['MURMUR_CAPSULE_URL', url]] as const)),
  ];
}
