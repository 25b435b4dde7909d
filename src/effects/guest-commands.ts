/**
 * The programs that one call of a guest starts, and those of the tools it calls: `murmur:shell/execute` (spec/shell.md 11). One of these
 * per call of a model, or per run of a script capsule; it knows what ran, what still runs, and whether the session can go on.
 *
 * Policy is checked here, on the main thread, and nowhere else. Not how a program runs (command.ts), not the worker's side
 * (workers/imports.ts), not hooks: they see what a model asks for, not what guests do.
 * Read next: command-guest.ts.
 */
import { type MurError, toMurError } from '../errors/index.js';
import { commandProblem } from '../policy/index.js';
import type { ResourceLimit } from '../resources/index.js';
import { limitNote } from '../shell/index.js';
import { needed, type StagedComponent } from '../stage/draft.js';
import { type DispatchOutcome, type ShellDispatch, withNote } from '../tools/index.js';
import type { GuestHost, ShellRun } from '../wasm/index.js';
import { executeForGuest, type GuestRun, nothingAllowed } from './command-guest.js';
import { shellLine } from './command-shell.js';
import type { GuestCaller } from './guest.js';
import { type SessionWorld, traceOf } from './world.js';

/** Most different lines that one call leaves in the log of its session, whatever its guests ask for. */
const loggedLinesMax = 20;

export class GuestCommands {
  readonly #world: SessionWorld;
  readonly #caller: GuestCaller;
  readonly #over = new AbortController();
  readonly #running = new Set<Promise<GuestRun>>();
  readonly #untraced: ShellDispatch[] = [];
  readonly #limits = new Set<ResourceLimit>();
  readonly #logged = new Set<string>();
  #fatal: MurError | undefined;

  constructor(world: SessionWorld, caller: GuestCaller) {
    this.#world = world;
    this.#caller = caller;
    const { signal } = caller;
    if (signal.aborted) this.#over.abort();
    signal.addEventListener('abort', () => this.#over.abort(), { once: true });
  }

  /** For the call: aborts with it, and as soon as no program of this session can be started any more. */
  get signal(): AbortSignal {
    return this.#over.signal;
  }

  /** What the session ends of, once the call has. */
  get fatal(): MurError | undefined {
    return this.#fatal;
  }

  /** The import, as the component that was staged may use it; a script capsule is not staged. */
  host(staged?: StagedComponent): NonNullable<GuestHost['shell']> {
    const ceiling = needed(this.#world.draft.networkCeiling, 'validate');
    const problem = staged === undefined ? undefined : commandProblem(staged.artifact.entry, ceiling);
    return async (run, signal) => {
      const ran = this.#run(run, signal, problem);
      this.#running.add(ran);
      const { answer } = await ran.finally(() => this.#running.delete(ran));
      if (typeof answer === 'string') throw answer;
      return answer;
    };
  }

  /** Resolves when nothing of what was started is left. To be called once the guest has ended: its programs were told to end then. */
  async settled(): Promise<void> {
    await Promise.all(this.#running);
  }

  /** Writes the lines of what ran to its end, and counts it. In a call of a model they follow the line of the call. */
  trace(): void {
    const { totals } = this.#caller;
    for (const shell of this.#untraced.splice(0)) {
      traceOf(this.#world).write('shell', shellLine(this.#caller, shell));
      this.#world.totals.shellCalls += 1;
      if (totals !== undefined) totals.shellCalls += 1;
    }
  }

  /** The outcome of the call, with what it means for the session and which limits its programs hit. */
  concluded(outcome: DispatchOutcome): DispatchOutcome {
    const noted = [...this.#limits].reduce((so, limit) => withNote(so, limitNote(limit)), outcome);
    return this.#fatal === undefined ? noted : { ...noted, fatal: this.#fatal };
  }

  async #run(run: ShellRun, signal: AbortSignal, problem: string | undefined): Promise<GuestRun> {
    const { commands } = this.#world;
    const ran =
      problem !== undefined
        ? { answer: `not granted: ${problem}` }
        : commands === undefined
          ? { answer: nothingAllowed(run.binary) }
          : await executeForGuest(commands, run, { ...this.#caller, signal });
    if (signal.aborted && ran.shell === undefined)
      this.#log(`'${run.binary}' was ended with the guest that started it`);
    else if (typeof ran.answer === 'string') this.#log(`a guest got no result of a command: ${ran.answer}`);
    this.#note(ran);
    return ran;
  }

  #note({ shell, fatal }: GuestRun): void {
    if (shell !== undefined) this.#untraced.push(shell);
    if (shell?.resourceLimit !== undefined) this.#limits.add(shell.resourceLimit as ResourceLimit);
    if (fatal !== undefined) this.#end(fatal);
    if (this.#caller.taskId !== null) return;
    // A script capsule has no line of a call that these would have to follow.
    try {
      this.trace();
    } catch (error) {
      this.#end(toMurError(error));
    }
  }

  #end(fatal: MurError): void {
    this.#fatal ??= fatal;
    this.#over.abort();
  }

  #log(message: string): void {
    if (this.#logged.size >= loggedLinesMax || this.#logged.has(message)) return;
    this.#logged.add(message);
    this.#world.log.write({ level: 'warn', message });
  }
}
