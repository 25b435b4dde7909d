import { readFileSync } from 'node:fs';
import type { UsernsGrant } from '../tier.js';

/** The text of a file of the kernel, or `undefined`. */
export type ReadText = (path: string) => string | undefined;

export const systemText: ReadText = (path) => {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return undefined;
  }
};

const enabled = '/sys/module/apparmor/parameters/enabled';
const restriction = [
  '/sys/module/apparmor/parameters/restrict_unprivileged_userns',
  '/proc/sys/kernel/apparmor_restrict_unprivileged_userns',
];
const profile = 'mur-sealed';

/** What AppArmor says about user namespaces of this process (spec/containment.md 3.4). null: not Linux. */
export function usernsGrant(platform: NodeJS.Platform, read: ReadText = systemText): UsernsGrant | null {
  if (platform !== 'linux') return null;
  if (!isOn(read(enabled))) return 'apparmor_absent';
  const restricted = restriction.map(read).find((text) => text !== undefined);
  if (!isOn(restricted)) return 'restriction_disabled_host_wide';
  return read('/proc/self/attr/current')?.startsWith(profile) === true ? 'profile_confining' : 'withheld';
}

function isOn(text: string | undefined): boolean {
  const value = text?.trim();
  return value === 'Y' || value === '1';
}
