import { spawn } from 'node:child_process';
import { closeSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { namelessFile, type Player } from '../player.js';
import { assemble, type Memory, memory, type Op, type Report, readReport, startOp } from '../program.js';
import type { Architecture } from '../seccomp/index.js';
import { type Call, callsOf } from '../steps.js';

/** What probe children have in common. */
export interface Lab {
  readonly arch: Architecture;
  readonly call: Call;
  /** A folder of the probe's own, on a mount where programs can be executed. */
  readonly folder: string;
  /** Put before every command: a host made poorer, in tests. */
  readonly wrapper: readonly string[];
}

export function labOf(arch: Architecture, folder: string, wrapper: readonly string[]): Lab {
  return { arch, call: callsOf(arch), folder, wrapper };
}

/** What became of one throw-away child. */
export interface Attempt {
  readonly report: Report;
  /** 0 when the whole program was played. */
  readonly exitCode: number | null;
  /** What it wrote, and what the chain around it said. */
  readonly out: Uint8Array;
  readonly said: string;
}

export function succeeded({ report, exitCode }: Attempt): boolean {
  return report.kind === 'started' && exitCode === 0;
}

const patienceMs = 5000;
const keptBytes = 65_536;

/** Plays `ops` in a child of its own, behind `chain`. Never throws: a child that cannot be started is an answer too. */
export async function attempt(
  lab: Lab,
  player: Player,
  chain: readonly string[],
  ops: readonly Op[],
): Promise<Attempt> {
  const { call } = lab;
  const all = [startOp(call('write', []).number), ...ops, call('exit_group', [0])];
  let program: number;
  try {
    program = namelessFile(assemble(all), lab.folder);
  } catch (error) {
    return { report: { kind: 'not started' }, exitCode: null, out: new Uint8Array(), said: (error as Error).message };
  }
  try {
    const command = [...lab.wrapper, ...chain, player.file, ...player.args];
    const { exitCode, streams, said } = await run(command, program);
    return { report: readReport(streams.report, all), exitCode, out: streams.out, said };
  } finally {
    closeSync(program);
  }
}

/** Runs a tool of the host with a text as answer; `undefined` when it fails. */
export async function ask(lab: Pick<Lab, 'wrapper'>, command: readonly string[]): Promise<string | undefined> {
  const { exitCode, streams } = await run([...lab.wrapper, ...command], 'ignore');
  return exitCode === 0 ? Buffer.from(streams.out).toString('utf8') : undefined;
}

interface Ended {
  readonly exitCode: number | null;
  readonly streams: { readonly out: Uint8Array; readonly report: Uint8Array };
  readonly said: string;
}

function run(command: readonly string[], program: number | 'ignore'): Promise<Ended> {
  const [file, ...args] = command;
  return new Promise((done) => {
    const child = spawn(file!, args, {
      // The texts of the tools are read, so they must be in one language.
      env: { LC_ALL: 'C' },
      cwd: '/',
      stdio: ['ignore', 'pipe', 'pipe', program, 'pipe'],
      timeout: patienceMs,
      killSignal: 'SIGKILL',
    });
    const [out, err, report] = [child.stdout!, child.stderr!, child.stdio[4] as Readable].map(collect);
    let failure = '';
    child.once('error', (error: NodeJS.ErrnoException) => {
      // Without the path: the folder of a probe has another name each time, and is gone when somebody reads this.
      failure = error.code === undefined ? error.message : `it cannot be executed (${error.code})`;
      end(null);
    });
    // `close` waits for the streams too; nothing a probe starts outlives it.
    child.once('close', end);
    function end(exitCode: number | null): void {
      const said = Buffer.from(err!()).toString('utf8').trim().split('\n')[0] ?? '';
      done({ exitCode, streams: { out: out!(), report: report!() }, said: failure === '' ? said : failure });
    }
  });
}

function collect(stream: Readable): () => Uint8Array {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  stream.on('data', (chunk: Uint8Array) => {
    bytes += chunk.length;
    if (bytes <= keptBytes) chunks.push(chunk);
  });
  // A pipe of a child that could not be started.
  stream.on('error', () => {});
  return () => Buffer.concat(chunks);
}

/** Calls whose results come back: each is made, may fail, and is written out as a number below zero for an errno. */
export class Measured {
  readonly ops: Op[] = [];
  readonly #cells: Memory[] = [];
  readonly #call: Call;

  constructor(call: Call) {
    this.#call = call;
  }

  add(op: Op): this {
    const cell = memory(4);
    this.#cells.push(cell);
    this.ops.push({ ...op, onFailure: 'ignore', store: { into: cell, at: 0 } });
    this.ops.push(this.#call('write', [1, cell, 4], { step: 'answer' }));
    return this;
  }

  /** The results in the order they were added, as far as the child got. */
  read({ out }: Attempt): readonly number[] {
    const view = new DataView(out.buffer, out.byteOffset, out.byteLength);
    return this.#cells.slice(0, out.length >> 2).map((_, index) => view.getInt32(index * 4, true));
  }
}
