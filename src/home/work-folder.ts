import { mkdirSync, rmdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { MurError, reasonOf, toMurError } from '../errors/index.js';
import { errnoOf, ioError } from './failure.js';
import { holdDirectory } from './held.js';
import type { HeldDirectory, RefusalLatch, SessionFolderRequest } from './types.js';
import type { Undo } from './undo.js';

/** The work folder belongs to a project, so it gets the mode a person's own folders have, less the umask. */
const workFolderMode = 0o755;

export interface WorkFolder {
  readonly held: HeldDirectory;
  /** What records are grouped by: the operator's folder, or the folder that holds ours. */
  readonly root: string;
  /** Where the runtime made it; absent for an operator's folder. */
  readonly created: string | undefined;
}

/** The work folder, held open, and its identity checked. The runtime makes nothing in an operator's folder. */
export function openWorkFolder(request: SessionFolderRequest, latch: RefusalLatch, undo: Undo): WorkFolder {
  const work = request.workdir === undefined ? make(request, latch, undo) : open(request.workdir, latch, undo);
  const expected = request.expectedWorkdirIdentity;
  const { identity, path } = work.held;
  if (expected !== undefined && (expected.dev !== identity.dev || expected.ino !== identity.ino)) {
    throw new MurError(
      'E-RUN-901',
      `the work folder ${path} is device ${identity.dev} inode ${identity.ino}, expected device ${expected.dev} inode ${expected.ino}`,
      { hint: 'the folder was replaced between the parent and this launch; start the delegation again' },
    );
  }
  return work;
}

function open(workdir: string, latch: RefusalLatch, undo: Undo): WorkFolder {
  const path = resolve(workdir);
  try {
    return { held: undo.closing(holdDirectory(path, { latch })), root: path, created: undefined };
  } catch (error) {
    throw new MurError(toMurError(error).code, `the work folder ${path} cannot be used: ${reasonOf(error)}`, {
      cause: error,
      hint: '--workdir takes an existing directory',
    });
  }
}

function make(request: SessionFolderRequest, latch: RefusalLatch, undo: Undo): WorkFolder {
  const root = join(resolve(request.manifestDir), 'workdir');
  try {
    mkdirSync(root, workFolderMode);
    undo.add(() => rmdirSync(root));
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw ioError('cannot make the directory', root, error);
  }
  const parent = holdDirectory(root, { latch });
  try {
    const held = makeNew(parent, request.sessionId, workFolderMode, undo);
    return { held, root, created: root };
  } finally {
    parent.close();
  }
}

/** Makes `name` inside `parent` and holds it. It must not be there yet, because undoing removes it with all it holds. */
export function makeNew(parent: HeldDirectory, rel: string, mode: number, undo: Undo): HeldDirectory {
  const path = join(parent.path, rel);
  if (parent.stat(rel) !== undefined) throw new MurError('E-IO-003', `${path} already exists`);
  undo.add(() => {
    const again = holdDirectory(parent.path);
    try {
      again.remove(rel);
    } finally {
      again.close();
    }
  });
  return undo.closing(parent.hold(rel, { mode }));
}
