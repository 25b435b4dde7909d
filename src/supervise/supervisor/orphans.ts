import type { AnyActorRef } from 'xstate';

/**
 * Stops the children a failed machine left running.
 *
 * xstate ends a machine whose action or guard threw without stopping its children: their timers tick on and their clean-up never
 * runs (statelyai/xstate#5153, #5433). Only a parent may stop a child, and here the parent is dead, so this uses the method the
 * parent would have used. Does not reach children that were spawned by the very step that failed: no snapshot lists them.
 */
export function stopOrphans(parent: AnyActorRef): void {
  const children: Record<string, AnyActorRef | undefined> = parent.getSnapshot()?.children ?? {};
  for (const child of Object.values(children)) {
    if (child === undefined) continue;
    try {
      (child as unknown as { _stop(): void })._stop();
    } catch {
      // The child's own failure is reported to its own observers; the other orphans still have to go.
    }
  }
}
