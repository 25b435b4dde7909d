import type { BoxedProcess } from '../containment/box.js';

/** How long a command that was told to end may take. */
const graceMs = 5_000;

type Target = Pick<BoxedProcess, 'signal' | 'terminate' | 'kill'>;

/** What happens to the command when this process gets the signal. */
const answers: Partial<Record<NodeJS.Signals, (to: Target) => unknown>> = {
  // A program may go on after Ctrl-C: an interpreter does.
  SIGINT: (to) => to.signal('SIGINT'),
  SIGQUIT: (to) => to.kill(),
  SIGTERM: (to) => to.terminate(graceMs),
  SIGHUP: (to) => {
    to.signal('SIGHUP');
    return to.terminate(graceMs);
  },
  SIGUSR1: (to) => to.signal('SIGUSR1'),
  SIGUSR2: (to) => to.signal('SIGUSR2'),
  SIGWINCH: (to) => to.signal('SIGWINCH'),
  SIGCONT: (to) => to.signal('SIGCONT'),
};

/** Signals that end a run that has not started its command yet. */
const ending: readonly NodeJS.Signals[] = ['SIGINT', 'SIGQUIT', 'SIGTERM', 'SIGHUP'];

/**
 * Hands signals of this process on to a command: it is in a session of its own, where no terminal reaches it. One that arrives before
 * there is a command is kept, so that what was made for it is still given back.
 */
export class SignalRelay {
  #target: Target | undefined;
  #early: NodeJS.Signals | undefined;
  readonly #listeners: (readonly [NodeJS.Signals, () => void])[];

  constructor() {
    const names = Object.keys(answers) as NodeJS.Signals[];
    this.#listeners = [
      ...names.map((name) => [name, () => this.#arrived(name)] as const),
      // Ctrl-Z stops both: the kernel would stop this process only.
      ['SIGTSTP', () => this.#stop()],
    ];
    for (const [name, listener] of this.#listeners) process.on(name, listener);
  }

  /** The signal that asked for the end before there was a command. */
  get early(): NodeJS.Signals | undefined {
    return this.#early;
  }

  attach(target: Target): void {
    this.#target = target;
    if (this.#early !== undefined) this.#arrived(this.#early);
  }

  close(): void {
    for (const [name, listener] of this.#listeners) process.off(name, listener);
  }

  #arrived(name: NodeJS.Signals): void {
    if (this.#target !== undefined) void answers[name]?.(this.#target);
    else if (ending.includes(name)) this.#early ??= name;
  }

  #stop(): void {
    this.#target?.signal('SIGSTOP');
    process.kill(process.pid, 'SIGSTOP');
  }
}
