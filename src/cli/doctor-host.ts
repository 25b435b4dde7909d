/** What this machine has for containment, as the probes of a launch found it: each mechanism was tried in a throw-away child. */
import { decide } from '../containment/decide.js';
import type { HostReport } from '../containment/host.js';
import type { UsernsGrant } from '../containment/tier.js';
import { hasDescriptorWalk } from '../scope/index.js';
import { murVersion } from '../version.js';
import type { Block } from './doctor-block.js';

export function hostBlock(host: HostReport | undefined): Block {
  const { platform, arch, version } = process;
  const descriptorWalk = hasDescriptorWalk(platform);
  const first = `mur ${murVersion}, node ${version} on ${platform} ${arch}`;
  const last = `paths of WASM tools: ${descriptorWalk ? 'walked by descriptor' : 'checked by name only'}`;
  const json = {
    mur_version: murVersion,
    node_version: version,
    platform,
    arch,
    descriptor_walk: descriptorWalk,
  };
  if (host === undefined) {
    const lines = [first, 'containment: not probed (--no-probe)', last];
    return { key: 'host', title: 'Host', lines, json: { ...json, probed: false } };
  }
  // The strongest floor: what is achieved of it is all there is.
  const decision = decide(host, {
    floor: 'sealed',
    workdirExec: false,
    runtimeInsideWorkdir: false,
    networkAllowEmpty: true,
    startsProcesses: true,
  });
  const { achieved, mechanism, shortfallReason } = decision;
  return {
    key: 'host',
    title: 'Host',
    lines: [
      first,
      `containment: ${achieved} at most (mechanism: ${mechanism})${shortfallReason === undefined ? '' : ` - ${shortfallReason}`}`,
      ...host.mechanisms.map(
        ({ name, strength, detail, fix }) =>
          `${name}: ${strength}${detail === '' ? '' : ` - ${detail}`}${fix === undefined ? '' : `; ${fix}`}`,
      ),
      last,
    ],
    json: {
      ...json,
      probed: true,
      containment_at_most: achieved,
      mechanism,
      reason: shortfallReason ?? null,
      mechanisms: host.mechanisms,
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
export function usernsBlock({ usernsGrant: grant, chain }: Pick<HostReport, 'usernsGrant' | 'chain'>): Block {
  const isUsed = chain === 'bubblewrap' || chain === 'unshare';
  return {
    key: 'userns',
    title: 'AppArmor / user namespaces',
    lines:
      grant === null
        ? []
        : [
            `${grant}: ${words[grant]}`,
            isUsed
              ? `commands start in namespaces of their own (${chain})`
              : 'commands start in no namespace of their own',
          ],
    json: { grant, used: isUsed },
  };
}
