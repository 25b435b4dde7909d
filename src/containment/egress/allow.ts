/**
 * Where connections of commands may go: the rules of src/policy/network.ts with the scheme left out, which a bare connection does not
 * have and a rule's port already says (spec/containment.md 14.3). Pure.
 */
import { isIP } from 'node:net';
import { covers, type NetworkRule, parseTarget } from '../../policy/network.js';
import type { DialTarget } from './types.js';

/** Listeners a namespace has at most; ports beyond them are refused by the kernel. */
export const mostListeners = 16;

/** The ports that need a listener: those of the rules, 80 and 443 for a rule without one. Ascending, unique, at most 16. */
export function listenerPorts(rules: readonly NetworkRule[]): readonly number[] {
  const ports = new Set(rules.flatMap((rule) => (rule.port === undefined ? [80, 443] : [rule.port])));
  return [...ports].sort((a, b) => a - b).slice(0, mostListeners);
}

/** The names that rules allow; literal addresses are none. Unique, in the order of the rules. */
export function allowedNames(rules: readonly NetworkRule[]): readonly string[] {
  return [...new Set(rules.map((rule) => rule.host))].filter((host) => !isLiteral(host));
}

export function isLiteral(host: string): boolean {
  return isIP(host.replace(/^\[|\]$/g, '')) !== 0;
}

/**
 * Where a connection to `address` leads. `nameOf` tells which name an address was handed out for. A literal address leads somewhere
 * only if a rule names it, with one exception: the two loopback addresses also stand for `localhost`, because programs translate that
 * name themselves and never ask.
 */
export function destinationOf(
  rules: readonly NetworkRule[],
  nameOf: (address: string) => string | undefined,
  address: string,
  port: number,
): DialTarget | { readonly refused: string } {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '');
  const name = nameOf(plain);
  const hosts = name === undefined ? [plain.includes(':') ? `[${plain}]` : plain] : [name];
  if (plain === '127.0.0.1' || plain === '::1') hosts.push('localhost');
  for (const host of hosts) {
    const target = parseTarget('https', `${host}:${port}`);
    if (target === undefined) continue;
    const aim = { host: target.host, port };
    const matching = rules.filter((rule) => covers(withoutScheme(rule), aim));
    if (matching.length > 0) return { ...aim, matching };
  }
  return { refused: `${hosts[0]}:${port}` };
}

function withoutScheme({ host, port }: NetworkRule): { host: string; port?: number } {
  return port === undefined ? { host } : { host, port };
}
