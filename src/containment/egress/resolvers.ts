import { readFileSync } from 'node:fs';
import { isIPv4, isIPv6 } from 'node:net';

/** As many as resolver libraries use (resolv.conf(5)). */
const most = 3;

export interface HostResolvers {
  /** IPv4 loopback addresses beside 127.0.0.1: a socket for every address would answer them from 127.0.0.1. */
  readonly loopback: readonly string[];
  readonly ipv6: readonly string[];
}

/**
 * The resolvers that programs of this host will ask and that need more than a socket bound to every address. Reads the host's
 * resolv.conf; a missing one names none.
 */
export function hostResolvers(file = '/etc/resolv.conf'): HostResolvers {
  let text = '';
  try {
    text = readFileSync(file, 'utf8').slice(0, 64 * 1024);
  } catch {
    // Libraries then ask 127.0.0.1.
  }
  return parseResolvers(text);
}

export function parseResolvers(text: string): HostResolvers {
  const found = [...text.matchAll(/^[ \t]*nameserver[ \t]+(\S+)/gm)].slice(0, most).map(([, address]) => address!);
  const unique = [...new Set(found)];
  return {
    loopback: unique.filter((address) => isIPv4(address) && address.startsWith('127.') && address !== '127.0.0.1'),
    ipv6: unique.filter((address) => isIPv6(address) && !address.includes('%') && address !== '::1'),
  };
}
