import { MurError } from '../errors/index.js';
import { withValue } from '../home/config-edit.js';
import { isReference, literalKeyWarning } from '../home/config-merge.js';
import type { ConfigSetFlags } from './config.js';
import { editConfig } from './config-file.js';
import { settableKey } from './config-keys.js';
import type { CliContext, ExitStatus } from './context.js';
import { warningLine } from './output.js';
import { oneLine } from './safe-text.js';
import { readStandardInput } from './stdin.js';
import { styleFor, wantsColor } from './style.js';

/** Far above any key. */
const maxValueBytes = 64 * 1024;
const tooLarge = () => new MurError('E-CFG-002', `the value is larger than ${maxValueBytes} bytes`);

/** `mur config set`. Prints the key and the file, never the value. */
export async function setConfig(flags: ConfigSetFlags, context: CliContext): Promise<ExitStatus> {
  const { stdout, stderr, env } = context;
  const key = settableKey(flags.key, flags.global === true);
  const value = flags.value === '-' ? await readStandardInput(maxValueBytes, tooLarge) : flags.value;
  if (/[\u0000-\u001f\u007f]/.test(value)) {
    throw new MurError('E-CFG-002', `the value for ${flags.key} holds a control character or a line break`);
  }
  const scope = flags.global === true ? 'global' : 'project';
  const { path, shown } = await editConfig(scope, context, (text, path) => withValue(text, key.path, value, path));
  if (flags.key === 'inference.api_key' && shown === path && !isReference(value)) {
    const style = styleFor(wantsColor({ isTerminal: stderr.isTerminal, env, noColor: !flags.color }));
    stderr.write(`${warningLine({ code: '', message: literalKeyWarning(path), origin: 'cli' }, style)}\n`);
  }
  stdout.write(
    flags.json === true ? `${JSON.stringify({ key: flags.key, path })}\n` : `Set ${flags.key} in ${oneLine(shown)}\n`,
  );
  return 0;
}
