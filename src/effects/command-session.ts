/**
 * Opens what the commands of a session need: what holds them (session-box.ts), a look at the size of its folders, and the commands
 * themselves. All of it is held by the session's resource scope, so that it is given back youngest first, on every way out: the commands
 * end, then the box, then the network, then the cgroup. Loaded for sessions that have commands.
 * Read next: session-box.ts, command.ts.
 */
import type { EgressDenied } from '../containment/egress/index.js';
import { reasonOf } from '../errors/index.js';
import { hearsOfCompletions } from '../manifest/lifecycle.js';
import { scopeReport } from '../scope/index.js';
import { needed } from '../stage/draft.js';
import { measured } from '../stage/limits.js';
import type { TaskRequest } from '../task/index.js';
import { type CommandActor, Commands } from './command.js';
import { takeCompletion } from './completion.js';
import { deniedCommand } from './protected-call.js';
import { boxFolders, openSessionBox, sweepMs } from './session-box.js';
import { watchSize } from './size-watch.js';
import { type SessionWorld, traceOf } from './world.js';

/** Throws what keeps the session from starting: `E-RUN-012`, `E-CAP-005`, a folder that cannot be used. */
export async function openCommands(world: SessionWorld, onBreach?: () => void): Promise<Commands> {
  const { draft } = world;
  const { request, scope, clock } = draft;
  const reach = needed(draft.reach, 'contain');
  const staged = needed(draft.folders, 'mint');
  const folders = boxFolders(staged);

  const { box, limits, defaults } = await openSessionBox({
    sessionId: staged.sessionId,
    reach,
    folders,
    policy: request.policy,
    rules: needed(draft.networkCeiling, 'validate'),
    privateNames: request.privateNames,
    scope,
    onRefused: (denied) => traceDenied(world, denied),
    onLeft: (message) => draft.notify({ type: 'warning', code: '', message, origin: 'runtime' }),
  });
  for (const { code, message } of limits.warnings) draft.warn(code, message);
  draft.scopeReport = scopeReport({ ...reach.scope, resources: measured(limits) });
  const { scope: cgroup, resources } = limits;
  const { workdirMaxBytes: maxBytes } = resources;
  const watched = [folders.work, folders.temp];
  const breach = maxBytes === undefined ? undefined : watchSize(world, { folders: watched, maxBytes }, onBreach);

  const commands = new Commands({
    box,
    clock,
    policy: request.policy,
    hostEnv: request.hostEnv,
    defaults,
    // Read for each command: the address is known once the door listens.
    get identity() {
      return identityOf(world);
    },
    folders: { temp: box.tempPath, runtime: folders.runtime },
    records: staged.recordsRoot,
    trace: traceOf(world),
    log: (entry) => world.log.write(entry),
    spawn: (command) => {
      world.send({ type: 'command.requested', command });
      return world.childOf(command.commandId) as CommandActor | undefined;
    },
    ...(hearsOfCompletions(draft.lifecycle) && request.inference !== undefined
      ? {
          background: {
            graceMs: draft.lifecycle.shellGraceSeconds * 1000,
            enqueue: (task: TaskRequest) => takeCompletion(world, task),
          },
        }
      : {}),
    ...(cgroup === undefined ? {} : { counters: () => cgroup.counters() }),
    ...(breach === undefined ? {} : { breach }),
    denied: (line, caller) => deniedCommand(world, line, caller)?.message,
  });
  // They end with the last lines of the trace (session.ts); this is for a session that did not get there.
  scope.use('commands', async () => void (await commands.sweep()), { deadlineMs: sweepMs });
  return commands;
}

/** What was refused, and when: in the log for people, in the trace for whoever watches. Throws nothing into the relay. */
function traceDenied(world: SessionWorld, { reason, target }: EgressDenied): void {
  world.log.write({ level: 'warn', message: `a command was refused a connection to ${target}`, reason });
  try {
    traceOf(world).write('egress_denied', { by: 'command', target, reason });
  } catch (error) {
    world.log.write({ level: 'error', message: reasonOf(error) });
  }
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
