/**
 * What this machine and this build have for containment. Readings only: no namespace is made and no filter is loaded, so nothing
 * here claims that a mechanism would work.
 */
import { readFileSync } from 'node:fs';
import { containmentOfThisBuild, hasDescriptorWalk, type UsernsGrant } from '../scope/index.js';
import { murVersion } from '../version.js';
import type { Block } from './doctor-block.js';

export function hostBlock(): Block {
  const { platform, arch, version } = process;
  const descriptorWalk = hasDescriptorWalk(platform);
  // The strongest floor: what is achieved of it is all there is.
  const { achieved, noTierBecause, mechanism } = containmentOfThisBuild('sealed', { platform, descriptorWalk });
  return {
    key: 'host',
    title: 'Host',
    lines: [
      `mur ${murVersion}, node ${version} on ${platform} ${arch}`,
      `containment: ${achieved} at most (mechanism: ${mechanism}) - ${noTierBecause}`,
      `paths of WASM tools: ${descriptorWalk ? 'walked by descriptor' : 'checked by name only'}`,
    ],
    json: {
      mur_version: murVersion,
      node_version: version,
      platform,
      arch,
      containment_at_most: achieved,
      mechanism,
      reason: noTierBecause,
      descriptor_walk: descriptorWalk,
    },
  };
}

const words: Readonly<Record<UsernsGrant, string>> = {
  apparmor_absent: 'AppArmor is not enabled, so it does not restrict unprivileged user namespaces',
  restriction_disabled_host_wide: 'AppArmor is enabled and lets every program make user namespaces',
  profile_confining: "AppArmor restricts user namespaces, and this process runs under the profile 'mur-sealed'",
  withheld: 'AppArmor withholds user namespaces from this process',
};

/** Linux only. */
export function usernsBlock(read: (path: string) => string | undefined = readSmall): Block {
  const grant = process.platform === 'linux' ? usernsGrant(read) : null;
  return {
    key: 'userns',
    title: 'AppArmor / user namespaces',
    lines: grant === null ? [] : [`${grant}: ${words[grant]}`, 'this version of mur makes no user namespace'],
    json: { grant, used: false },
  };
}

/** The answer of AppArmor to whether this process may make a user namespace (spec/containment.md 3.4). */
export function usernsGrant(read: (path: string) => string | undefined): UsernsGrant {
  const isOn = (path: string): boolean => ['Y', '1'].includes(read(path)?.trim() ?? '');
  const parameters = '/sys/module/apparmor/parameters';
  if (!isOn(`${parameters}/enabled`)) return 'apparmor_absent';
  const parameter = `${parameters}/restrict_unprivileged_userns`;
  const isRestricted =
    read(parameter) === undefined ? isOn('/proc/sys/kernel/apparmor_restrict_unprivileged_userns') : isOn(parameter);
  if (!isRestricted) return 'restriction_disabled_host_wide';
  return read('/proc/self/attr/current')?.startsWith('mur-sealed') === true ? 'profile_confining' : 'withheld';
}

function readSmall(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
