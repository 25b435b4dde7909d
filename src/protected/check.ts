import type { ToolAnnotations } from './annotations.js';
import { writtenArguments } from './arguments.js';
import { namedDestinations } from './input.js';
import type { ProtectedPaths } from './paths.js';
import { scriptCommands } from './script.js';

/** Why a call is not run (spec/containment.md 16.6). */
export interface Denial {
  /** Relative to the work folder. */
  readonly path: string;
  /** As the manifest has it. */
  readonly rule: string;
  /** What in the call says that it would write there. */
  readonly signal: string;
  /** For whoever made the call. */
  readonly message: string;
}

/** A program and its arguments; `takesScript` when `-c` of it is a script. */
export interface CheckedCommand {
  readonly name: string;
  readonly args: readonly string[];
  readonly takesScript: boolean;
}

interface Write {
  readonly path: string;
  readonly signal: string;
  readonly removes?: boolean;
}

/** Why a command may not run; `undefined` when nothing in its text says that it writes a protected path. */
export function checkCommand(paths: ProtectedPaths, { name, args, takesScript }: CheckedCommand): Denial | undefined {
  if (paths.isEmpty) return undefined;
  const body = takesScript ? scriptOf(args) : undefined;
  const writes =
    body === undefined
      ? argumentsOf([name, ...args])
      : scriptCommands(body).flatMap(({ words, writes: redirected }) => [
          ...redirected.map(({ operator, target }) => ({ path: target, signal: `redirection '${operator}'` })),
          ...argumentsOf(words),
        ]);
  return firstDenial(paths, name, writes);
}

/** The same for the input of a tool. `folder`: the folder of the work folder that the tool sees. */
export function checkInput(
  paths: ProtectedPaths,
  name: string,
  input: unknown,
  rest: { readonly annotations?: ToolAnnotations; readonly folder?: string } = {},
): Denial | undefined {
  if (paths.isEmpty) return undefined;
  return firstDenial(paths, name, namedDestinations(input, rest.annotations), rest.folder);
}

function firstDenial(paths: ProtectedPaths, name: string, writes: readonly Write[], folder = '.'): Denial | undefined {
  for (const { path, signal, removes = false } of writes) {
    const match = paths.match(path, { base: folder, above: removes });
    if (match === undefined) continue;
    const message =
      `'${name}' was not run: it would write ${match.path} (${signal}), and capabilities.filesystem.read_only protects '${match.rule}'. ` +
      'Nothing was started and nothing was changed. Reading it still works; write somewhere else.';
    return { ...match, signal, message };
  }
  return undefined;
}

function argumentsOf(words: readonly string[]): readonly Write[] {
  return writtenArguments(words).map((each) => ({ ...each, signal: `argument of ${words[0]}` }));
}

/** The script behind `-c`, also behind a group of flags that ends in it. */
function scriptOf(args: readonly string[]): string | undefined {
  const at = args.findIndex((arg) => /^-[A-Za-z]*c$/.test(arg));
  return at === -1 ? undefined : args[at + 1];
}
