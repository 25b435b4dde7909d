import { MurError, reasonOf } from '../../errors/index.js';
import { systemClock } from '../clock.js';
import { Child, startRoot } from './child.js';
import { checkIntensity, RestartIntensityError, RestartWindow } from './intensity.js';
import { comesBack, judge } from './judge.js';
import type {
  ChildExit,
  ChildSpec,
  Ending,
  Intensity,
  InternalEvent,
  SupervisorEvent,
  SupervisorOptions,
  SupervisorView,
} from './spec.js';
import { type SupervisorScope, Wiring } from './wiring.js';

/** Children that go down and come back together. */
interface Group {
  readonly members: Set<Child>;
  readonly offender: Child;
  readonly round: number;
}

/**
 * The state of one supervisor and the rules that move it. The contract is in ../supervisor.ts.
 *
 * A child moves running -> stopping -> disposing -> waiting, and from waiting back to running or out of the map. Nothing here
 * waits: every end arrives as an event, so a child that ends inside `start()` or `stop()` takes the same path as any other.
 */
export class Supervision implements SupervisorView {
  phase: SupervisorView['phase'] = 'open';
  readonly children = new Map<string, Child>();
  /** Set when the supervisor gave up; it fails with this once everything is down. */
  failure: RestartIntensityError | undefined;

  readonly #wiring: Wiring;
  readonly #options: SupervisorOptions;
  readonly #intensity: Intensity;
  readonly #window: RestartWindow;
  readonly #clock: { monotonic(): number };
  #group: Group | undefined;
  #round = 0;
  /** Children to take down, the next one last. `undefined` while nothing is being taken down. */
  #stack: Child[] | undefined;
  #deadlineAt = Number.POSITIVE_INFINITY;

  constructor(scope: SupervisorScope, options: SupervisorOptions) {
    this.#wiring = new Wiring(scope, options.report);
    this.#options = options;
    this.#intensity = options.intensity ?? { maxRestarts: 1, withinMs: 5_000 };
    checkIntensity(this.#intensity);
    this.#window = new RestartWindow(this.#intensity);
    this.#clock = options.clock ?? systemClock;
  }

  /** The map is not for printing: it can hold ten thousand children. */
  toJSON(): object {
    return { phase: this.phase, children: this.children.size };
  }

  handle(event: SupervisorEvent | InternalEvent): void {
    switch (event.type) {
      case 'sup.spawn':
        this.spawn(event.child);
        break;
      case 'sup.terminate':
        this.#terminate(event.id);
        break;
      case 'sup.drain':
        this.#drain(event.deadlineMs);
        break;
      case 'sup._drainOverdue':
        for (const child of [...this.children.values()].reverse()) this.#overdue(child);
        break;
      case 'sup._restartGroup':
        if (this.#group?.round === event.round) this.#startGroup();
        break;
      case 'xstate.stop':
        this.#abandon();
        break;
      default:
        this.#handleOfChild(event);
    }
  }

  #handleOfChild(event: Extract<InternalEvent, { generation: number }>): void {
    const child = this.children.get(event.id);
    if (child?.generation !== event.generation) return;
    if (event.type === 'sup._exited') {
      if (child.phase === 'running' || child.phase === 'stopping') this.#exited(child, event.ending);
    } else if (event.type === 'sup._disposed') {
      if (child.phase !== 'disposing') return;
      this.#wiring.cancel(`dispose.${child.id}`);
      this.#disposed(child, event.late, event.fault);
    } else if (event.type === 'sup._overdue') {
      this.#overdue(child);
    } else if (child.phase === 'waiting') {
      this.#start(child);
    }
  }

  spawn(spec: ChildSpec): void {
    if (this.phase !== 'open' || this.children.has(spec.id)) {
      const reason = this.phase === 'open' ? 'duplicate' : 'draining';
      this.#wiring.emit({ type: 'child.refused', id: spec.id, reason });
      return;
    }
    const child = new Child(spec);
    this.children.set(child.id, child);
    if (this.#group === undefined) this.#start(child);
    else this.#group.members.add(child); // starts in its turn, with the group
  }

  // One child: start, exit, release

  #start(child: Child): void {
    child.phase = 'running';
    child.forced = false;
    child.generation += 1;
    child.startedAt = this.#clock.monotonic();
    const { id, generation } = child;
    startRoot(
      child.spec,
      child.spec.system ?? this.#options.system ?? {},
      (ref) => {
        child.ref = ref;
        this.#wiring.emit({ type: 'child.started', id, generation, ref });
      },
      (ending) => this.#wiring.tell({ type: 'sup._exited', id, generation, ending }),
    );
  }

  #exited(child: Child, ending: Ending): void {
    if (child.phase === 'stopping') this.#wiring.cancel(`overdue.${child.id}`);
    const expected = child.phase === 'stopping' || this.phase !== 'open' || this.#group?.members.has(child) === true;
    const exit = judge(child, ending, expected);
    const back = !expected && comesBack(child, exit);
    if (exit.kind === 'abnormal' || back) {
      const starting = ending.status === 'error' && ending.starting;
      const context = expected ? 'shutdown_error' : starting ? 'start_error' : 'child_terminated';
      this.#wiring.report(context, reasonFor(exit), child);
    }
    this.#wiring.emit({ type: 'child.exited', id: child.id, generation: child.generation, exit });
    child.phase = 'disposing';
    if (back) this.#planRestart(child, exit);
    else if (!expected) child.leaving = true;
    this.#dispose(child, exit);
  }

  #dispose(child: Child, exit: ChildExit): void {
    const { id, generation } = child;
    let releasing: void | Promise<void>;
    try {
      releasing = this.#options.onDispose?.(id, exit);
    } catch (reason) {
      this.#disposed(child, false, { reason });
      return;
    }
    if (releasing === undefined) {
      this.#disposed(child, false);
      return;
    }
    const late = { type: 'sup._disposed', id, generation, late: true } as const;
    this.#wiring.schedule(`dispose.${id}`, late, this.#options.disposeMs ?? 5_000);
    releasing.then(
      () => this.#wiring.tell({ ...late, late: false }),
      (reason: unknown) => this.#wiring.tell({ ...late, late: false, fault: { reason } }),
    );
  }

  #disposed(child: Child, late: boolean, fault?: { readonly reason: unknown }): void {
    if (late || fault !== undefined) this.#wiring.report('shutdown_error', releaseError(child, fault), child);
    this.#wiring.emit({ type: 'child.disposed', id: child.id, generation: child.generation, late });
    child.phase = 'waiting';
    if (this.phase !== 'open' || child.leaving) this.#forget(child);
    else if (this.#group?.members.has(child) !== true) this.#restart(child);
    this.#advance();
  }

  #forget(child: Child): void {
    this.children.delete(child.id);
    this.#group?.members.delete(child);
  }

  #forgetWaiting(child: Child): void {
    this.#wiring.cancel(`restart.${child.id}`);
    this.#forget(child);
  }

  // Restarting

  #planRestart(child: Child, exit: ChildExit): void {
    const now = this.#clock.monotonic();
    if (now - child.startedAt > this.#intensity.withinMs) child.attempt = 0;
    child.attempt += 1;
    if (this.#window.exceeds(now)) this.#escalate(child, exit);
    else if ((this.#options.strategy ?? 'one_for_one') !== 'one_for_one') this.#takeGroupDown(child);
  }

  #restart(child: Child): void {
    const delayMs = this.#announce(child, child);
    const { id, generation } = child;
    if (delayMs === 0) this.#start(child);
    else this.#wiring.schedule(`restart.${id}`, { type: 'sup._restart', id, generation }, delayMs);
  }

  /** The offender's group: with `rest_for_one`, a group already going down and the offender's become one. */
  #takeGroupDown(offender: Child): void {
    const everyone = [...this.children.values()];
    const from = this.#options.strategy === 'one_for_all' ? 0 : everyone.indexOf(offender);
    const members = everyone.filter((child, index) => index >= from || this.#group?.members.has(child) === true);
    for (const child of members) if (child.restart === 'temporary') child.leaving = true;
    this.#round += 1;
    this.#group = { members: new Set(members), offender, round: this.#round };
    this.#takeDown(members);
  }

  #restartGroup(group: Group): void {
    let delayMs = 0;
    for (const child of this.#inOrder(group)) delayMs = this.#announce(child, group.offender);
    if (delayMs === 0) this.#startGroup();
    else this.#wiring.schedule('group', { type: 'sup._restartGroup', round: group.round }, delayMs);
  }

  #startGroup(): void {
    const group = this.#group;
    this.#group = undefined;
    if (group !== undefined) for (const child of this.#inOrder(group)) this.#start(child);
  }

  #inOrder(group: Group): Child[] {
    return [...this.children.values()].filter((child) => group.members.has(child));
  }

  #announce(child: Child, offender: Child): number {
    const { attempt } = offender;
    const backoff = offender.spec.backoff ?? this.#options.backoff;
    const delayMs = Math.max(0, backoff?.(attempt) ?? 0);
    const generation = child.generation + 1;
    this.#wiring.emit({ type: 'child.restarting', id: child.id, generation, attempt, delayMs });
    return delayMs;
  }

  #escalate(child: Child, exit: ChildExit): void {
    this.failure = new RestartIntensityError(this.#wiring.id, child.id, this.#intensity, reasonFor(exit));
    this.#wiring.report('restart_intensity', this.failure, child);
    this.#wiring.emit({ type: 'sup.escalated', reason: this.failure });
    this.#endAll();
  }

  // Stopping

  #terminate(id: string): void {
    const child = this.children.get(id);
    if (child === undefined) return;
    child.leaving = true;
    if (child.phase === 'running') this.#stop(child);
    else if (child.phase === 'waiting') this.#forgetWaiting(child);
  }

  #drain(deadlineMs = Number.POSITIVE_INFINITY): void {
    const deadlineAt = this.#clock.monotonic() + deadlineMs;
    if (deadlineAt < this.#deadlineAt) {
      this.#deadlineAt = deadlineAt;
      this.#wiring.cancel('drain');
      this.#wiring.schedule('drain', { type: 'sup._drainOverdue' }, deadlineMs);
    }
    if (this.phase === 'open') this.#endAll();
  }

  #endAll(): void {
    this.phase = 'draining';
    this.#group = undefined;
    for (const child of [...this.children.values()]) if (child.phase === 'waiting') this.#forgetWaiting(child);
    this.#takeDown([...this.children.values()]);
  }

  #takeDown(children: Child[]): void {
    this.#stack = children;
    if (this.#options.stopOrder === 'together') {
      for (const child of [...children].reverse()) if (child.phase === 'running') this.#stop(child);
    }
    this.#advance();
  }

  /** Takes down the youngest child of the stack; when the stack is empty, does what it was emptied for. */
  #advance(): void {
    const stack = this.#stack;
    if (stack === undefined) return;
    for (let child = stack.at(-1); child !== undefined; child = stack.at(-1)) {
      if (child.phase === 'running') this.#stop(child);
      if (child.phase !== 'waiting') return;
      stack.pop();
    }
    this.#stack = undefined;
    if (this.phase === 'draining') {
      this.#close();
      if (this.failure === undefined) this.#wiring.emit({ type: 'sup.drained' });
    } else if (this.#group !== undefined) {
      this.#restartGroup(this.#group);
    }
  }

  #stop(child: Child): void {
    child.phase = 'stopping';
    const { id, generation, spec, shutdownMs } = child;
    if (spec.drainEvent === undefined || shutdownMs === 0) {
      this.#kill(child);
      return;
    }
    this.#wiring.schedule(`overdue.${id}`, { type: 'sup._overdue', id, generation }, shutdownMs);
    try {
      child.ref?.send(spec.drainEvent);
    } catch {
      this.#kill(child); // an inspector threw on our stack; the child cannot be asked
    }
  }

  #overdue(child: Child): void {
    if (child.phase !== 'running' && child.phase !== 'stopping') return;
    child.phase = 'stopping';
    const error = new MurError('E-SUP-902', `${child.id} was still running at its deadline and was stopped`);
    this.#wiring.report('shutdown_error', error, child);
    this.#kill(child);
  }

  #kill(child: Child): void {
    child.forced = child.spec.drainEvent !== undefined;
    try {
      child.ref?.stop();
    } catch (error) {
      const { id, generation } = child;
      this.#wiring.tell({ type: 'sup._exited', id, generation, ending: { status: 'error', error, starting: false } });
    }
  }

  /** Somebody stopped the supervisor itself: xstate waits for nothing, so children are stopped and releases only begun. */
  #abandon(): void {
    this.#close();
    for (const child of [...this.children.values()].reverse()) {
      if (child.phase === 'running' || child.phase === 'stopping') this.#abandonChild(child);
    }
    this.children.clear();
  }

  #abandonChild(child: Child): void {
    this.#kill(child);
    const exit: ChildExit = { kind: 'shutdown', forced: true };
    this.#wiring.emit({ type: 'child.exited', id: child.id, generation: child.generation, exit });
    const failed = (reason: unknown) => this.#wiring.report('shutdown_error', releaseError(child, { reason }), child);
    try {
      this.#options.onDispose?.(child.id, exit)?.catch(failed);
    } catch (reason) {
      failed(reason);
    }
  }

  #close(): void {
    this.phase = 'closed';
    this.#wiring.shut();
  }
}

function reasonFor(exit: ChildExit): unknown {
  return exit.kind === 'abnormal' ? exit.reason : exit;
}

function releaseError(child: Child, fault: { readonly reason: unknown } | undefined): MurError {
  const why = fault === undefined ? 'took too long' : `failed: ${reasonOf(fault.reason)}`;
  return new MurError('E-SUP-903', `releasing what ${child.id} held ${why}`, { cause: fault?.reason });
}
