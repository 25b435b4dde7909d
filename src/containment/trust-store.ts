/**
 * Files of this host that programs with network need to check certificates and to find a name server (spec/containment.md 10). A fixed
 * table, looked up on this host; no program is run and no variable asked. They are only ever read.
 */
import { realpathSync, statSync } from 'node:fs';
import type { TrustStorePath } from '../policy/index.js';
import type { PathGrant } from './executables.js';

const certificatePlaces = [
  '/etc/ssl',
  '/etc/pki',
  '/etc/ca-certificates',
  '/etc/ca-certificates.conf',
  '/usr/share/ca-certificates',
  '/usr/local/share/ca-certificates',
  '/usr/lib/ssl',
  '/usr/share/ssl',
  '/var/lib/ca-certificates',
  '/etc/crypto-policies',
  '/etc/openssl',
];

const resolutionPlaces = ['resolv.conf', 'hosts', 'nsswitch.conf', 'gai.conf', 'services', 'protocols'].map(
  (name) => `/etc/${name}`,
);

export interface NetworkFiles {
  readonly trustStore: readonly TrustStorePath[];
  readonly nameResolution: readonly TrustStorePath[];
}

/** What of the table this host has, links followed, each once. Empty unless the capsule has both commands and a network. */
export function networkFiles(asked: {
  /** Programs of `shell.allow` and native tools. */
  readonly commands: readonly string[];
  readonly networkAllow: readonly string[];
}): NetworkFiles {
  if (asked.commands.length === 0 || asked.networkAllow.length === 0) return { trustStore: [], nameResolution: [] };
  return { trustStore: existing(certificatePlaces), nameResolution: existing(resolutionPlaces) };
}

/** Readable, and listable where it is a folder. */
export function networkFileGrants({ trustStore, nameResolution }: NetworkFiles): readonly PathGrant[] {
  return [...trustStore, ...nameResolution].map(({ path, kind }) => ({
    path,
    access: 'read',
    list: kind === 'directory',
    required: false,
  }));
}

function existing(places: readonly string[]): readonly TrustStorePath[] {
  const found = new Map<string, TrustStorePath>();
  for (const place of places) {
    try {
      const path = realpathSync(place);
      const stat = statSync(path);
      if (stat.isDirectory()) found.set(path, { path, kind: 'directory' });
      else if (stat.isFile()) found.set(path, { path, kind: 'file' });
    } catch {
      // Distributions keep them in different places.
    }
  }
  return [...found.values()];
}
