/**
 * Network allow rules (spec/spend.md section 6): parsing one entry, matching a destination, comparing two rules. Pure; the one matcher
 * for guests, commands, peers and envelopes. Not DNS and not sockets (src/wasm/egress).
 * Read next: network-address.ts (what no name may resolve to).
 */
import { isIP } from 'node:net';
import { MurError } from '../errors/index.js';

export { isPrivateAddress } from './network-address.js';

export type HttpScheme = 'http' | 'https';

/** The destinations a rule stands for. */
export interface Reach {
  /** Absent: either scheme. */
  readonly scheme?: HttpScheme;
  /** Lower case, as WHATWG URLs print it; an IPv6 address keeps its brackets. Never a pattern. */
  readonly host: string;
  /** Absent: any port. */
  readonly port?: number;
}

export interface NetworkRule extends Reach {
  /** The entry as written, trimmed. */
  readonly entry: string;
  /** True when the entry has URL form and names its port: the operator meant exactly this server. */
  readonly exact: boolean;
}

/** Where a request goes, normalised the same way as a rule. */
export interface NetworkTarget {
  readonly scheme: HttpScheme;
  readonly host: string;
  readonly port: number;
}

const defaultPorts: Readonly<Record<HttpScheme, number>> = { http: 80, https: 443 };

/** The rule of one allow entry. Throws `E-CAP-001` with the entry and the reason. */
export function parseAllowEntry(entry: string): NetworkRule {
  const text = entry.trim();
  const refuse = (reason: string): never => {
    throw new MurError('E-CAP-001', `invalid network allow entry '${entry}': ${reason}`, {
      hint: 'write host, host:port, or http(s)://host[:port]',
    });
  };
  if (text === '') return refuse('entry must not be empty');
  return text.includes('://') ? parseUrlEntry(text, refuse) : parseHostEntry(text, refuse);
}

function parseUrlEntry(text: string, refuse: (reason: string) => never): NetworkRule {
  const [schemeText, rest] = splitOnce(text, '://');
  const scheme = schemeText.toLowerCase();
  if (!/^[a-z][a-z0-9+.-]*$/.test(scheme)) return refuse('invalid URL: the scheme is malformed');
  if (scheme !== 'http' && scheme !== 'https') {
    return refuse(`unsupported URL scheme '${scheme}' (expected http or https)`);
  }
  const [authority, path] = splitAuthority(rest);
  if (path !== '' && path !== '/') return refuse('URL allow entries must not include path, query, or fragment');
  if (authority === '' || authority.startsWith(':')) return refuse('URL allow entries must include a host');
  const host = normalHost(authority);
  if ('problem' in host) return refuse(`invalid URL: ${host.problem}`);
  const port = host.port ?? defaultPorts[scheme];
  return { entry: text, scheme, host: host.host, port, exact: host.port !== undefined };
}

function parseHostEntry(text: string, refuse: (reason: string) => never): NetworkRule {
  const [authority, path] = splitAuthority(text);
  if (path !== '' || text.includes('@')) return refuse('host allow entries must be host or host:port only');
  if (authority.startsWith(':') && !authority.startsWith('::')) return refuse('host allow entries must include a host');
  const host = normalHost(authority);
  if ('problem' in host) return refuse(`invalid host allow entry: ${host.problem}`);
  return { entry: text, host: host.host, ...(host.port === undefined ? {} : { port: host.port }), exact: false };
}

/** The destination of a request. `undefined` when it has none that could be allowed: no host, userinfo, other scheme, bad port. */
export function parseTarget(scheme: string, authority: string | undefined): NetworkTarget | undefined {
  if ((scheme !== 'http' && scheme !== 'https') || authority === undefined) return undefined;
  if (splitAuthority(authority)[1] !== '') return undefined;
  const host = normalHost(authority);
  if ('problem' in host) return undefined;
  return { scheme, host: host.host, port: host.port ?? defaultPorts[scheme] };
}

/** True when `rule` lets a request go to `target`. */
export function matches(rule: NetworkRule, target: NetworkTarget): boolean {
  return covers(rule, target);
}

/** True when everything `child` allows, `parent` allows too. */
export function covers(parent: Reach, child: Reach): boolean {
  return (
    parent.host === child.host &&
    (parent.scheme === undefined || parent.scheme === child.scheme) &&
    (parent.port === undefined || parent.port === child.port)
  );
}

/** True when `rule` names a literal address, `localhost` or one exact server, so that a private address is what the operator meant. */
export function permitsPrivate(rule: NetworkRule): boolean {
  return rule.exact || rule.host === 'localhost' || isIP(rule.host.replace(/^\[|\]$/g, '')) !== 0;
}

/** Host and port of an authority, or what is wrong with it. Port only when it is written. */
function normalHost(authority: string): { host: string; port?: number } | { problem: string } {
  if (/[\s\u0000-\u001f\u007f]/.test(authority)) return { problem: 'white space is not part of a host' };
  if (authority.includes('@')) return { problem: 'userinfo is not allowed' };
  if (authority.includes('*')) return { problem: 'wildcards are not supported, list each host' };
  if (!URL.canParse(`http://${authority}/`)) return { problem: 'not a host name or address with an optional port' };
  const url = new URL(`http://${authority}/`);
  if (url.pathname !== '/' || url.hostname === '') return { problem: 'not a host name or address' };
  // Read from the text: the parser drops port 80.
  const port = /:(\d+)$/.exec(authority)?.[1];
  if (port === undefined) return authority.endsWith(':') ? { problem: 'the port is missing' } : { host: url.hostname };
  if (Number(port) === 0) return { problem: 'port 0 cannot be reached' };
  return { host: url.hostname, port: Number(port) };
}

/** The authority, and whatever follows it. A backslash separates as a slash does, because URL parsers read it so. */
function splitAuthority(text: string): [authority: string, rest: string] {
  const at = text.search(/[/\\?#]/);
  return at === -1 ? [text, ''] : [text.slice(0, at), text.slice(at)];
}

function splitOnce(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator);
  return [text.slice(0, at), text.slice(at + separator.length)];
}
