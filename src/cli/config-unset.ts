import { MurError } from '../errors/index.js';
import { locateConfig, readConfigText } from '../home/config.js';
import { withoutValue } from '../home/config-edit.js';
import type { ConfigUnsetFlags } from './config.js';
import { editConfig, globalName } from './config-file.js';
import { type SettableKey, settableKey } from './config-keys.js';
import type { CliContext, ExitStatus } from './context.js';
import { oneLine } from './safe-text.js';

/** `mur config unset`. Makes no file; a key that the file does not set is `E-CFG-002`. */
export async function unsetConfig(flags: ConfigUnsetFlags, context: CliContext): Promise<ExitStatus> {
  const { key: written, global: isGlobal = false, json } = flags;
  // A key that a project must not hold is one to take out of it.
  const key = settableKey(written, true);
  const paths = locateConfig(context.env);
  const file = isGlobal || paths.project === paths.global ? paths.global : paths.project;
  if (readConfigText(file) === undefined) throw notSet(written, key, file, paths);
  const { path, shown } = await editConfig(isGlobal ? 'global' : 'project', context, (text, path) => {
    const rest = withoutValue(text, key.path, path);
    if (rest === text) throw notSet(written, key, path, paths);
    return rest;
  });
  context.stdout.write(
    json === true ? `${JSON.stringify({ key: written, path })}\n` : `Removed ${written} from ${oneLine(shown)}\n`,
  );
  return 0;
}

/** Says where it is set instead, when it is. */
function notSet(
  written: string,
  { path: key }: SettableKey,
  file: string,
  { global, project }: ReturnType<typeof locateConfig>,
): MurError {
  const isGlobal = file === global;
  const other = isGlobal ? project : global;
  const flag = isGlobal ? '' : ' -g';
  const isThere = other !== file && holds(other, key);
  return new MurError('E-CFG-002', `${written} is not set in ${isGlobal ? globalName : file}`, {
    hint: isThere
      ? `${isGlobal ? project : globalName} sets it: mur config unset${flag} ${written}`
      : 'mur config list says what is in effect, and which file says it',
  });
}

function holds(file: string, key: SettableKey['path']): boolean {
  try {
    const text = readConfigText(file);
    return text !== undefined && withoutValue(text, key, file) !== text;
  } catch {
    // A file that is broken is no place to send anybody.
    return false;
  }
}
