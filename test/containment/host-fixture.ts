import { networkBlocker } from '../../src/containment/blockers.js';
import type { ContainmentAsked, HostReport } from '../../src/containment/index.js';

/** A host that has everything. */
export const richHost: HostReport = {
  platform: 'linux',
  arch: 'x64',
  uid: 1000,
  launcher: 'stub',
  stubFolder: '/tmp',
  seccomp: true,
  landlockAbi: 7,
  network: { usable: true },
  bubblewrap: { path: '/usr/bin/bwrap', version: '0.8.0', bindFd: true },
  unshare: '/usr/bin/unshare',
  nsenter: '/usr/bin/nsenter',
  chain: 'bubblewrap',
  privateProc: true,
  noexec: true,
  usernsGrant: 'apparmor_absent',
  hostTier: 'sealed',
  mechanisms: [],
  probedInMs: 30,
};

export const noNetwork = networkBlocker('capability_grant_missing', 'unshare failed: Operation not permitted');

export function host(change: Partial<HostReport> = {}): HostReport {
  return { ...richHost, ...change };
}

export function asked(change: Partial<ContainmentAsked> = {}): ContainmentAsked {
  return {
    floor: 'advisory',
    workdirExec: false,
    runtimeInsideWorkdir: false,
    networkAllowEmpty: true,
    startsProcesses: true,
    ...change,
  };
}
