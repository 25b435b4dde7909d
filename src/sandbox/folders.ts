import { existsSync, rmdirSync } from 'node:fs';
import {
  createSessionFolders,
  ensurePrivateDirectory,
  holdDirectory,
  isLeftOver,
  type SessionFolders,
  temporaryName,
} from '../home/index.js';
import { refuseHomeInside } from '../stage/mint.js';
import type { ResourceScope } from '../supervise/scope.js';
import { ownHome, type Prepared, sandboxesOf } from './prepare.js';

/**
 * The folders a session would have, for one command, removed with all they hold when the scope closes; a work folder of the caller's
 * stays. What killed runs left is removed first. Throws `E-RUN-908` for a work folder that holds `~/.murmur`.
 */
export function openFolders(prepared: Prepared, sessionId: string, scope: ResourceScope): SessionFolders {
  const { home, manifestDir, workdir } = prepared;
  ensurePrivateDirectory(home.root);
  ensurePrivateDirectory(sandboxesOf(home));
  // Before anything is made: a refusal leaves nothing.
  if (workdir !== undefined && existsSync(workdir)) refuseHomeInside(workdir, home.root);
  const name = temporaryName();
  const all = holdDirectory(sandboxesOf(home));
  scope.use('throw-away folder', () => {
    all.remove(name);
    all.close();
  });
  for (const { name: old } of all.list('.')) if (isLeftOver(old)) all.remove(old);
  all.mkdir(name, 0o700);
  const folders = createSessionFolders({
    sessionId,
    manifestDir,
    home: ownHome(home, name),
    ...(workdir === undefined ? {} : { workdir }),
  });
  scope.use('folders', () => folders.close());
  refuseHomeInside(folders.accessibleWorkdir, home.root);
  if (folders.createdWorkdirs !== undefined) scope.use('work folder', () => removeWork(folders));
  return folders;
}

/** The one that was made for the command, and the folder it is in when nothing else is in that. */
function removeWork({ sessionId, createdWorkdirs }: SessionFolders): void {
  const parent = holdDirectory(createdWorkdirs!);
  try {
    parent.remove(sessionId);
  } finally {
    parent.close();
  }
  try {
    rmdirSync(createdWorkdirs!);
  } catch {
    // Other work folders are in it.
  }
}
