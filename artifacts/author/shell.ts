/** Programs of the machine that the capsule allows, for a tool. Starting one blocks, so nothing here needs to be awaited. */
import execute from 'murmur:shell/execute@0.1.0';
import { Failure } from '../lib/failure.js';
import { payloadOf } from '../lib/payload.js';
import { wellFormed } from '../lib/utf8.js';

export interface Ran {
  /** 128 + n for a program that signal n ended. */
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
  /** True when there was more: then `logPath` has all of it. */
  readonly truncated: boolean;
  readonly logPath: string | undefined;
}

function run(program: string, args: readonly string[] = [], env: Readonly<Record<string, string>> = {}): Ran {
  try {
    const { fullOutputPath, ...ran } = execute.run(
      wellFormed(program),
      args.map((each) => wellFormed(String(each))),
      Object.entries(env).map(([name, value]): [string, string] => [wellFormed(name), wellFormed(String(value))]),
    );
    return { ...ran, logPath: fullOutputPath ?? undefined };
  } catch (error) {
    const reason = payloadOf(error);
    throw typeof reason === 'string' ? new Failure(`${program} did not run: ${reason}`) : error;
  }
}

export const shell = { run };
