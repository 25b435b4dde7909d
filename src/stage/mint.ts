import { createSessionFolders } from '../home/index.js';
import { mintId } from '../supervise/ids.js';
import type { StageDraft } from './draft.js';

/** Gives the session its id and its three folders, held open until the scope closes (spec/session.md 4.1 step 11). */
export function mint(draft: StageDraft): { readonly sessionId: string } {
  const { request, scope, home, clock } = draft;
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
  draft.sessionId = sessionId;
  draft.folders = folders;
  return { sessionId };
}
