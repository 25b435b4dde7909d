import { openSizeGuard, type SizeBreach, sizeError } from '../resources/index.js';
import type { SessionWorld } from './world.js';

/**
 * Looks at the size of the folders from now on, until the session's scope closes. `breach` of the world then says what was found: every
 * next start of a native process is refused with it, and the next turn ends the session (`E-RUN-013`). `onBreach`: for a session that
 * has neither, to end what runs.
 *
 * Does not stop: what is written between two looks, and the call or command that goes on meanwhile.
 */
export function watchSize(
  world: SessionWorld,
  request: { readonly folders: readonly string[]; readonly maxBytes: number },
  onBreach: (breach: SizeBreach) => void = () => undefined,
): () => SizeBreach | undefined {
  const { draft, log } = world;
  const guard = openSizeGuard({
    ...request,
    clock: draft.clock,
    onBreach: (breach) => {
      const { code, message } = sizeError(breach);
      log.write({ level: 'error', message, code });
      draft.notify({ type: 'warning', code: '', message, origin: 'runtime' });
      onBreach(breach);
    },
  });
  draft.scope.use('size guard', () => guard.close());
  const breach = () => guard.breach();
  world.breach = breach;
  return breach;
}
