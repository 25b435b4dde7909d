import { existsSync, realpathSync } from 'node:fs';
import { isWithin } from '../containment/within.js';
import { MurError } from '../errors/index.js';
import { createSessionFolders } from '../home/index.js';
import { mintId } from '../supervise/ids.js';
import type { StageDraft } from './draft.js';

/** Gives the session its id and its three folders, held open until the scope closes (spec/session.md 4.1 step 11). */
export function mint(draft: StageDraft): { readonly sessionId: string } {
  const { request, scope, home, clock } = draft;
  // Asked before, so that a refusal leaves no folder, and again below, of the folder that is really held.
  if (request.workdir !== undefined && existsSync(request.workdir)) refuseHomeInside(request.workdir, home.root);
  const sessionId = mintId('ses', clock.now());
  const folders = createSessionFolders({
    sessionId,
    manifestDir: request.manifestDir,
    home,
    ...(request.workdir === undefined ? {} : { workdir: request.workdir }),
    ...(request.expectedWorkdirIdentity === undefined
      ? {}
      : { expectedWorkdirIdentity: request.expectedWorkdirIdentity }),
  });
  scope.use('session folders', () => folders.close());
  refuseHomeInside(folders.accessibleWorkdir, home.root);
  draft.sessionId = sessionId;
  draft.folders = folders;
  return { sessionId };
}

/**
 * A work folder that holds `~/.murmur`, or lies in it, would let every tool read keys and the records of other sessions: refused,
 * since no grant means that.
 */
export function refuseHomeInside(workdir: string, homeRoot: string): void {
  const work = realpathSync(workdir);
  const home = realpathSync(homeRoot);
  if (!isWithin(home, work) && !isWithin(work, home)) return;
  throw new MurError(
    'E-RUN-908',
    `the work folder ${workdir} and mur's own folder ${homeRoot} contain one another, so tools could read keys and records`,
    {
      hint: 'give --workdir a folder of its own',
    },
  );
}
