import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';
import type { HostReport } from '../host.js';
import { ask, type Lab } from './attempt.js';

/** Where packages put the tools. PATH is not consulted: what is found there would run outside of every box. */
export const toolFolders: readonly string[] = [
  '/usr/bin',
  '/bin',
  '/usr/local/bin',
  '/usr/sbin',
  '/sbin',
  '/run/current-system/sw/bin',
];

/** The first place that has the tool, or null. */
export function locate(tool: string, folders: readonly string[]): string | null {
  const places = folders.map((folder) => join(folder, tool));
  return places.find(canExecute) ?? null;
}

function canExecute(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** What this bubblewrap is. `--bind-fd` is asked for by name: distributions added it to releases that did not have it. */
export async function describeBubblewrap(
  lab: Pick<Lab, 'wrapper'>,
  path: string,
): Promise<NonNullable<HostReport['bubblewrap']>> {
  const [version, help] = await Promise.all([ask(lab, [path, '--version']), ask(lab, [path, '--help'])]);
  return {
    path,
    version: version?.trim().replace(/^bubblewrap /, '') ?? 'unknown',
    bindFd: help?.includes('--bind-fd') ?? false,
  };
}
