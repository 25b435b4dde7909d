/** A process of a benchmark that is asked one thing at a time over its channel. Not a benchmark. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export class Child<Question extends object, Answer> {
  readonly #process: ChildProcess;

  private constructor(process: ChildProcess) {
    this.#process = process;
  }

  /** Starts `module`, a file beside this one, and resolves with its first message. `MUR_BENCH_NODE` adds flags such as `--cpu-prof`. */
  static async start<Question extends object, Answer>(
    module: string,
    args: readonly string[] = [],
  ): Promise<{ child: Child<Question, Answer>; first: unknown }> {
    const file = fileURLToPath(new URL(module, import.meta.url));
    const flags = process.env.MUR_BENCH_NODE?.split(' ') ?? [];
    const child = fork(file, args, { execArgv: flags, env: { ...process.env, NODE_ENV: 'production' } });
    const [first] = await once(child, 'message');
    return { child: new Child(child), first };
  }

  /** Its answer. Rejects when it ends instead. */
  async ask(question: Question): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const died = (code: number | null) => reject(new Error(`a process of the benchmark ended with ${code}`));
      this.#process.once('exit', died).once('message', (answer) => {
        this.#process.off('exit', died);
        resolve(answer as Answer);
      });
      this.#process.send(question);
    });
  }

  /** Lets it go and waits for its end. */
  async stop(): Promise<void> {
    const ended = once(this.#process, 'exit');
    this.#process.send(farewell);
    await ended;
  }
}

const farewell = 'farewell';

/** Answers whoever started this process, until it lets go or is gone. */
export function answerParent<Question>(answer: (question: Question) => unknown): void {
  process.on('message', async (question) => {
    if (question === farewell) process.exit();
    process.send!(await answer(question as Question));
  });
  process.on('disconnect', () => process.exit());
}
