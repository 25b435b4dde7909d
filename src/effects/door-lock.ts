import { DoorAuth } from '../door/index.js';
import type { SessionWorld } from './world.js';

/**
 * The key and the tokens of this session's door; `undefined` where the manifest has no `network.authentication`. They are new with every
 * launch, stand in nothing the session writes but its running record, and are worthless once the session is over.
 */
export function lockDoor({ draft, secrets }: SessionWorld): DoorAuth | undefined {
  const { authentication } = draft.request.manifest.network;
  if (authentication === undefined) return undefined;
  const auth = new DoorAuth(authentication);
  draft.scope.use('door key', () => auth.erase());
  secrets.keep(auth.tokens.map(({ token }) => token));
  return auth;
}
