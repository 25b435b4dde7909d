import { rmdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { MurError, reasonOf } from '../errors/index.js';
import { isId } from '../supervise/ids.js';
import { holdDirectory } from './held.js';
import { Latch } from './latch.js';
import { ensurePrivateDirectory, PRIVATE_DIRECTORY_MODE } from './murmur-home.js';
import { writeLock } from './session-lock.js';
import { temporaryName } from './temporary.js';
import type { HeldDirectory, RefusalLatch, SessionFolderRequest, SessionFolders } from './types.js';
import { Undo } from './undo.js';
import { makeNew, openWorkFolder, type WorkFolder } from './work-folder.js';

/** Folders every session has below its records directory. The rest is made when something is written there. */
const recordsFolders = ['logs', 'out', 'tmp', 'home'];

/**
 * The folders of a new session, made and held open: work folder first, and its identity checked before anything is written
 * (spec/session.md 4.1 step 11). A failure leaves nothing behind that was not there before.
 *
 * Throws `E-IO-*` or `E-RUN-901` for the work folder, `E-RUN-903` for the runtime directory, `E-RUN-904` for the records.
 */
export function createSessionFolders(request: SessionFolderRequest): SessionFolders {
  const { sessionId } = request;
  if (!isId('ses', sessionId)) throw new MurError('E-IO-003', `${JSON.stringify(sessionId)} is not a session id`);
  const undo = new Undo();
  try {
    const latch = new Latch();
    const work = openWorkFolder(request, latch, undo);
    const runtime = named('E-RUN-903', 'the runtime directory', () => openRuntime(request, work, latch, undo));
    const records = named('E-RUN-904', 'the records directory', () => openRecords(request, work, latch, undo));
    return sessionFolders(sessionId, latch, work, runtime, records);
  } catch (error) {
    undo.run();
    throw error;
  }
}

interface Runtime {
  /** `~/.murmur/sessions` */
  readonly sessions: HeldDirectory;
  readonly root: HeldDirectory;
  readonly tools: HeldDirectory;
  readonly plans: HeldDirectory;
  readonly delegations: HeldDirectory;
}

/** The folder gets the session's name once its lock is in it, so that nobody ever sees one without knowing whose it is. */
function openRuntime(request: SessionFolderRequest, work: WorkFolder, latch: RefusalLatch, undo: Undo): Runtime {
  const { home, sessionId } = request;
  ensurePrivateDirectory(home.sessions);
  const sessions = undo.closing(holdDirectory(home.sessions, { latch }));
  const staged = temporaryName();
  const unnamed = makeNew(sessions, staged, PRIVATE_DIRECTORY_MODE, undo);
  writeLock(unnamed, join(recordsGroup(work.root), sessionId));
  unnamed.close();
  sessions.rename(staged, sessionId);
  undo.add(() => sessions.remove(sessionId));
  const session = undo.closing(sessions.hold(sessionId));
  const below = (parent: HeldDirectory, name: string): HeldDirectory =>
    undo.closing(parent.hold(name, { mode: PRIVATE_DIRECTORY_MODE }));
  const root = below(session, 'runtime');
  session.close();
  return {
    sessions,
    root,
    tools: below(root, 'tools'),
    plans: below(root, 'plans'),
    delegations: below(root, 'delegations'),
  };
}

function openRecords(request: SessionFolderRequest, work: WorkFolder, latch: RefusalLatch, undo: Undo): HeldDirectory {
  const { home, sessionId } = request;
  ensurePrivateDirectory(home.records);
  const all = holdDirectory(home.records, { latch });
  try {
    const group = recordsGroup(work.root);
    undo.add(() => removeEmptyParents(join(home.records, group), home.records));
    const records = makeNew(all, join(group, sessionId), PRIVATE_DIRECTORY_MODE, undo);
    for (const name of recordsFolders) records.mkdir(name, PRIVATE_DIRECTORY_MODE);
    return records;
  } finally {
    all.close();
  }
}

/** Removes `path` and its parents up to `top`, as far as they are empty. */
function removeEmptyParents(path: string, top: string): void {
  for (let at = path; at !== top; at = dirname(at)) rmdirSync(at);
}

/** Where the records of sessions with this workdir root are, relative to `~/.murmur/records`. */
export function recordsGroup(workdirRoot: string): string {
  return resolve(workdirRoot).slice(1);
}

function sessionFolders(
  sessionId: string,
  latch: RefusalLatch,
  work: WorkFolder,
  runtime: Runtime,
  records: HeldDirectory,
): SessionFolders {
  const held = [runtime.root, runtime.tools, runtime.plans, runtime.delegations, records, work.held];
  let removed = false;
  let closed = false;
  const removeRuntime = (): void => {
    if (removed || closed) return;
    runtime.sessions.remove(sessionId);
    removed = true;
  };
  return {
    sessionId,
    latch,
    accessibleWorkdir: work.held.path,
    accessibleRoot: work.held,
    createdWorkdirs: work.created,
    workdirRoot: work.root,
    runtimeDir: runtime.root.path,
    runtimeRoot: runtime.root,
    tools: runtime.tools,
    plans: runtime.plans,
    delegations: runtime.delegations,
    recordsDir: records.path,
    recordsRoot: records,
    removeRuntime,
    close: () => {
      try {
        removeRuntime();
      } finally {
        closed = true;
        for (const directory of [...held, runtime.sessions]) directory.close();
      }
    },
  };
}

function named<T>(code: 'E-RUN-903' | 'E-RUN-904', what: string, make: () => T): T {
  try {
    return make();
  } catch (error) {
    throw new MurError(code, `${what} could not be made or held: ${reasonOf(error)}`, {
      cause: error,
      hint: 'check that your home directory is writable and that nothing below ~/.murmur is a link',
    });
  }
}
