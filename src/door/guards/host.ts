import { isIPv6 } from 'node:net';
import { isExposed } from '../exposed.js';

const loopbackNames: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * Says of a `Host` header whether it names the door bound to `bindAddr`. A page that rebinds its own name to 127.0.0.1 still
 * sends that name (cases/reports row 33). Accepted: `localhost`, `127.0.0.1`, `[::1]` and the bind address, with any port,
 * because a forwarded port is a fair way to reach a door.
 *
 * Does not stop: a program on this machine, which may send any header; a rebound page reading the public card of an
 * exposed door, since the names such a door is reached by are not known here (the origin guard still keeps that page
 * from sending anything).
 */
export function hostGuard(bindAddr: string): (host: string | undefined) => boolean {
  // Found out once: what kind of address it is takes longer than all else here, and this is asked with every request.
  if (isExposed(bindAddr)) return (host = '') => host !== '';
  const own = (isIPv6(bindAddr) ? `[${bindAddr}]` : bindAddr).toLowerCase();
  return (host = '') => {
    const name = hostName(host);
    return name !== undefined && (loopbackNames.has(name) || name === own);
  };
}

/** The lower-case name of `name[:port]`, or `undefined` for anything else. */
function hostName(host: string): string | undefined {
  return /^(\[[0-9a-f:.]+\]|[a-z0-9.-]+)(:\d{1,5})?$/.exec(host.toLowerCase())?.[1];
}
