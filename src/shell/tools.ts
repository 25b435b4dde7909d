import { shellNames } from '../policy/index.js';
import { isShell } from './command-line.js';
import { resolveProgram } from './resolve.js';

/** One allowed program, as the tool a model is offered (spec/shell.md 2.1). */
export interface ShellTool {
  readonly name: string;
  readonly isShell: boolean;
  /** `undefined`: not on this host's PATH. Offered all the same; calling it fails. */
  readonly path: string | undefined;
  /** Text of `tools/<name>/murmur.yaml`. */
  readonly manifest: string;
}

export interface ShellTools {
  /** In the order of the manifest, each name once. */
  readonly tools: readonly ShellTool[];
  /** Entries that are offered as no tool, because they name no program on the PATH: `W-SEC-904`. */
  readonly withheld: readonly string[];
}

/** The tools of `capabilities.shell.allow`, resolved in `path` (a PATH). */
export function shellTools(policy: { readonly shellAllow: readonly string[] }, path: string): ShellTools {
  const { offered, withheld } = shellNames(policy.shellAllow);
  return {
    tools: offered.map((name) => ({
      name,
      isShell: isShell(name),
      path: resolveProgram(name, path),
      manifest: shellToolManifest(name),
    })),
    withheld,
  };
}

/** `murmur.yaml` of the tool for `name`: valid YAML whatever the name holds, because every value is a JSON string. */
export function shellToolManifest(name: string): string {
  const { description, command } = isShell(name) ? interpreterWords(name) : programWords(name);
  const schema = {
    type: 'object',
    properties: { command: { type: 'string', description: command } },
    required: ['command'],
  };
  const lines = {
    name,
    version: '0.0.0',
    runtime: 'tool',
    implementation: 'native',
    description,
    input_schema: schema,
  };
  return Object.entries(lines)
    .map(([key, value]) => `${key}: ${yaml(value)}\n`)
    .join('');
}

/** JSON with everything escaped that YAML does not print. */
function yaml(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function interpreterWords(name: string) {
  return {
    description: `Runs a shell command through ${name} in the work folder. The command is handed to ${name} -c.`,
    command: `The whole command line, as ${name} reads it.`,
  };
}

function programWords(name: string) {
  return {
    description:
      `Runs ${name} in the work folder, without a shell: no pipes, redirections, variables or globs. Give only its arguments, not its ` +
      `own name. Right: {"command": "--version"}. Wrong: {"command": "${name} --version"}.`,
    command: `The arguments of ${name}, split at blanks; quotes keep words together.`,
  };
}
