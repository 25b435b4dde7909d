import { type AnyActorRef, createActor } from 'xstate';
import { stopOrphans } from './orphans.js';
import type { ChildPhase, ChildSpec, ChildSystem, ChildView, Ending, ExitReport, Restart } from './spec.js';

/** One child of a supervisor over all its incarnations. Changed by `Supervision` only. */
export class Child implements ChildView {
  readonly id: string;
  readonly spec: ChildSpec;
  readonly restart: Restart;
  readonly shutdownMs: number;
  phase: ChildPhase = 'waiting';
  ref: AnyActorRef | undefined;
  generation = 0;
  /** Restarts in a row; starts again after an incarnation that outlived the intensity window. */
  attempt = 0;
  /** Monotonic milliseconds of the latest start. */
  startedAt = 0;
  /** It will be forgotten once it is down. */
  leaving = false;
  /** The latest incarnation was stopped although it knows how to finish. */
  forced = false;

  constructor(spec: ChildSpec) {
    this.id = spec.id;
    this.spec = spec;
    this.restart = spec.restart ?? 'permanent';
    this.shutdownMs = spec.shutdown ?? 5_000;
  }

  get offender(): ExitReport['offender'] {
    return { id: this.id, generation: this.generation, restart: this.restart, shutdown: this.shutdownMs };
  }

  toJSON(): object {
    return { id: this.id, phase: this.phase, generation: this.generation };
  }
}

/**
 * Starts `spec` as the root of its own actor system and reports how it ends, exactly once or more: the receiver drops what it
 * already knows. Never throws, and never lets an error of the child reach the process, because an error observer is always there.
 */
export function startRoot(
  spec: ChildSpec,
  system: ChildSystem,
  onBorn: (ref: AnyActorRef) => void,
  onEnding: (ending: Ending) => void,
): void {
  let starting = true;
  let ref: AnyActorRef | undefined;
  try {
    const born = createActor(spec.src, { ...system, id: spec.id, input: spec.input });
    ref = born;
    born.subscribe({
      error: (error: unknown) => {
        stopOrphans(born);
        onEnding({ status: 'error', error, starting });
      },
      complete: () => {
        const snapshot = born.getSnapshot();
        onEnding(snapshot.status === 'done' ? { status: 'done', output: snapshot.output } : { status: 'stopped' });
      },
    });
    onBorn(born);
    born.start();
  } catch (error) {
    // Only an inspector can throw here: xstate calls it on the caller's stack.
    onEnding({ status: 'error', error, starting: true });
    try {
      (ref as { stop?(): void } | undefined)?.stop?.();
    } catch {
      // The same inspector again; the first error is the one to report.
    }
  }
  starting = false;
}
