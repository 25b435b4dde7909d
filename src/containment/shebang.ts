import { isAbsolute } from 'node:path';
import { canonicalFile } from './closure.js';
import { withFile } from './elf.js';

/** What the first line of a script asks for. */
export interface Shebang {
  /** The program the kernel starts, as written. */
  readonly program: string;
  /** Base name of the interpreter; behind `env`, the name env looks up. */
  readonly name: string;
  /** Behind `env`: the word it looks up, as written. */
  readonly target?: string;
}

/** How much of a file is read for its first line. */
export const shebangBytes = 512;
/** The kernel follows scripts that are interpreters of scripts this often. */
const mostLevels = 4;

/** The shebang of a file; `undefined` for a file without one (spec/containment.md 9.5). */
export function readShebang(path: string): Shebang | undefined {
  const bytes = withFile(path, (source) => source.read(0, shebangBytes));
  return bytes === undefined ? undefined : parseShebang(bytes);
}

/** Reads `#! program argument…` up to the first LF or CR. `env` stands for the first word after it that is no option and no setting. */
export function parseShebang(bytes: Uint8Array): Shebang | undefined {
  if (bytes[0] !== 0x23 || bytes[1] !== 0x21) return undefined;
  const line = Buffer.from(bytes.subarray(2))
    .toString('latin1')
    .split(/[\n\r\0]/, 1)[0]!;
  const [program, ...rest] = line.trim().split(/[ \t]+/);
  if (program === undefined || program === '') return undefined;
  const base = baseName(program);
  const asked = base === 'env' ? rest.find((word) => !word.startsWith('-') && !word.includes('=')) : undefined;
  return asked === undefined ? { program, name: base } : { program, name: baseName(asked), target: asked };
}

/**
 * The programs the kernel would start for a script, one after the other, links followed: none of them is allowed by allowing it.
 */
export function interpretersOf(path: string): readonly string[] {
  const found: string[] = [];
  let program = readShebang(path)?.program;
  while (program !== undefined && found.length < mostLevels) {
    // A relative one means another file in every folder.
    const file: string | undefined = isAbsolute(program) ? canonicalFile(program) : undefined;
    if (file === undefined) break;
    found.push(file);
    program = readShebang(file)?.program;
  }
  return found;
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
