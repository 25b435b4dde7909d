/** `mur build` once its flags are understood: builds, and says what came of it. */
import { type BuildWarning, type Built, buildArtifact, buildSkill } from '../build/index.js';
import { warningTable } from '../errors/index.js';
import { type BuildFlags, skillTarget } from './build.js';
import type { CliContext, ExitStatus } from './context.js';
import { warningLine } from './output.js';
import { oneLine } from './safe-text.js';
import { type Style, styleFor, wantsColor } from './style.js';

export async function buildFromFlags(flags: BuildFlags, context: CliContext): Promise<ExitStatus> {
  const { stdout, stderr, env } = context;
  const style = styleFor(wantsColor({ isTerminal: stderr.isTerminal, env, noColor: !flags.color }));
  const warnings: BuildWarning[] = [];
  const onWarning = (warning: BuildWarning) => {
    warnings.push(warning);
    stderr.write(warningText(warning, style));
  };
  const built = await build(flags, onWarning, (step) => stderr.write(`${style.dim(`${step} ...`)}\n`));
  stdout.write(
    flags.json === true ? `${JSON.stringify({ ...built, warnings })}\n` : `Built artifact: ${oneLine(built.path)}\n`,
  );
  return 0;
}

function build(
  flags: BuildFlags,
  onWarning: (warning: BuildWarning) => void,
  onProgress: (step: string) => void,
): Promise<Built> {
  const { source = '.', output, skill, version = '0.1.0', summary } = flags;
  if (skill === undefined) {
    return buildArtifact({ source, onWarning, onProgress, ...(output === undefined ? {} : { output }) });
  }
  const { path = '.', name } = skillTarget(flags);
  return buildSkill({
    path,
    version,
    folder: '.',
    onWarning,
    ...(name === undefined ? {} : { name }),
    ...(summary === undefined ? {} : { summary }),
  });
}

/** The warning, what to do about it, and where to read about it: one line each (spec/cli.md section 5). */
function warningText({ code, message }: BuildWarning, style: Style): string {
  const [, text = '', link = ''] = /^(.*) \((\S+)\)$/.exec(warningLine({ code, message, origin: 'cli' }, style)) ?? [];
  return `${text}\n  -> ${warningTable[code].hint}\n  -> ${link}\n`;
}
