import { explainBox, prepareSandbox } from '../sandbox/index.js';
import type { CliContext, ExitStatus } from './context.js';
import { warningLine } from './output.js';
import type { SandboxFlags } from './sandbox.js';
import { isSaid, sandboxRequest } from './sandbox-run.js';
import { explanationText } from './sandbox-view.js';
import { styleFor, wantsColor } from './style.js';

/** `mur sandbox --explain`: prints what the box would give; 0 also when a run would be refused. Makes nothing. */
export async function explainSandbox(
  words: readonly string[],
  flags: SandboxFlags,
  { stdout, stderr, env }: CliContext,
): Promise<ExitStatus> {
  const request = sandboxRequest(words, flags);
  const prepared = prepareSandbox(request, env);
  const explanation = await explainBox(prepared, request);
  const style = (stream: typeof stdout) =>
    styleFor(wantsColor({ isTerminal: stream.isTerminal, env, noColor: !flags.color }));
  for (const { code, message } of prepared.warnings) {
    if (isSaid(code, flags)) stderr.write(`${warningLine({ code, message, origin: 'cli' }, style(stderr))}\n`);
  }
  stdout.write(flags.json === true ? `${JSON.stringify(explanation)}\n` : explanationText(explanation, style(stdout)));
  return 0;
}
