/** Changing a configuration file: one process at a time, and in one step for whoever reads it. */
import { dirname, join } from 'node:path';
import { MurError } from '../errors/index.js';
import { locateConfig, readConfigText } from '../home/config.js';
import { newGlobalText } from '../home/config-edit.js';
import { holdDirectory } from '../home/held.js';
import { murmurHome } from '../home/murmur-home.js';
import { exclusively } from '../lock/exclusive.js';
import type { CliContext } from './context.js';

/** An edit takes milliseconds; a process that waits this long waits for one that is stopped. */
const waitMs = 10_000;
const folderName = '.murmur';
const fileName = 'config.yaml';

export interface EditedConfig {
  readonly path: string;
  /** As messages name it: `~/.murmur/config.yaml`, or the path. */
  readonly shown: string;
  readonly isChanged: boolean;
}

/**
 * Replaces the text of the global file, or of the project's, by what `change` makes of it. The file gets a new inode, so whoever
 * follows it sees the old text or the new one. The global file is 0600 in a folder that is 0700; a project file keeps its mode.
 * A link in its place is refused: a project could name any file of this user.
 */
export async function editConfig(
  scope: 'global' | 'project',
  { env }: Pick<CliContext, 'env'>,
  change: (text: string, path: string) => string,
): Promise<EditedConfig> {
  const paths = locateConfig(env);
  // In the home folder the project's file is the global one.
  const isGlobal = scope === 'global' || paths.project === paths.global;
  const path = isGlobal ? paths.global : paths.project;
  const shown = isGlobal ? globalName : path;
  if (isGlobal) murmurHome(env);
  const folder = dirname(path);
  const parent = holdDirectory(dirname(folder));
  // The user may keep the home on another disk; a project's folder is looked at as it is.
  const held = isGlobal ? holdDirectory(folder) : parent.hold(folderName, { mode: 0o755 });
  try {
    return await exclusively(join(folder, `.${fileName}.held`), waitMs, () => {
      const facts = held.stat(fileName);
      if (facts?.kind === 'link') {
        throw new MurError('E-IO-003', `${path} is a link, which is not followed when it is changed`, {
          hint: 'edit the file it leads to, or put a file in its place',
        });
      }
      const before = readConfigText(path);
      const after = change(before ?? (isGlobal ? newGlobalText() : ''), path);
      if (after === before) return { path, shown, isChanged: false };
      held.writeFile(fileName, after, { mode: isGlobal ? 0o600 : (facts?.mode ?? 0o644) });
      return { path, shown, isChanged: true };
    });
  } finally {
    held.close();
    parent.close();
  }
}

export const globalName = `~/${folderName}/${fileName}`;
