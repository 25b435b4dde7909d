import { basename } from 'node:path';

/** An argument that a program writes, or takes away with what is below it. */
export interface WrittenArgument {
  readonly path: string;
  readonly removes?: boolean;
}

const writesAll = new Set(['tee', 'rmdir', 'unlink', 'shred', 'truncate', 'mkdir', 'touch', 'chmod', 'chown', 'patch']);
const writesLast = new Set(['cp', 'install', 'ln']);

/**
 * What a program writes by its arguments alone, for the programs of spec/containment.md 16.3. Beyond that page: what `mv` moves away
 * and `rm` removes counts with everything below it, and `-t` names the destination of `mv`, `cp`, `install` and `ln`.
 */
export function writtenArguments(words: readonly string[]): readonly WrittenArgument[] {
  const name = basename(words[0] ?? '');
  const args = words.slice(1);
  const plain = args.filter((arg) => !isFlag(arg));
  const targets = name === 'mv' || writesLast.has(name) ? targetFolders(args) : [];
  if (name === 'rm') return plain.map((path) => ({ path, removes: true }));
  if (name === 'mv') {
    const sources = targets.length > 0 ? plain : plain.slice(0, -1);
    return [
      ...[...targets, ...(targets.length > 0 ? [] : plain.slice(-1))].map((path) => ({ path })),
      ...sources.filter((path) => !targets.includes(path)).map((path) => ({ path, removes: true })),
    ];
  }
  if (writesAll.has(name)) return plain.map((path) => ({ path }));
  if (writesLast.has(name)) return [...targets, ...plain.slice(-1)].map((path) => ({ path }));
  if (name === 'sed') return isInPlace(args) ? plain.slice(1).map((path) => ({ path })) : [];
  if (name === 'dd')
    return args.filter((arg) => arg.startsWith('of=')).map((arg) => ({ path: arg.slice('of='.length) }));
  return [];
}

function isFlag(arg: string): boolean {
  return arg.startsWith('-') && arg.length > 1;
}

function isInPlace(args: readonly string[]): boolean {
  return args.some((arg) => arg.startsWith('-i') || arg === '--in-place' || arg.startsWith('--in-place='));
}

/** Of `-t FOLDER`, `-tFOLDER` and `--target-directory=FOLDER`. */
function targetFolders(args: readonly string[]): readonly string[] {
  return args.flatMap((arg, index) => {
    if (arg === '-t' || arg === '--target-directory') return args[index + 1] ?? [];
    if (arg.startsWith('--target-directory=')) return arg.slice('--target-directory='.length);
    return /^-t./.test(arg) ? arg.slice(2) : [];
  });
}
