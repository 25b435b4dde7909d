/**
 * The network of a session's native processes: one user and network namespace in which every address is local, a name server that
 * knows the allowed names, and a relay that connects from outside to what the rules allow (spec/containment.md 14). Programs need no
 * proxy variables and cannot avoid it: inside there is no other way out.
 *
 * What differs from a plain network: a refused connection to a port of the list is made and then reset, one to another port is refused;
 * a command cannot listen on a port of the list, where a listener of ours is.
 *
 * Refused: names and addresses no rule names, names that resolve to private addresses without a rule that permits it, every other
 * port, UDP but for names, IPv6 like IPv4. Does not stop: data sent to an allowed host, timing, and commands of one session that talk
 * to each other inside. Not the rules (src/policy/network.ts), not the egress of guests (src/wasm/egress), not unix sockets (the
 * syscall filter).
 * Read next: helper.ts (how the namespace is made), resolver.ts, relay.ts, allow.ts.
 */
import { closeSync } from 'node:fs';
import { allowedNames, listenerPorts } from './allow.js';
import { locateUnshare, startHelper } from './helper.js';
import { Names } from './names.js';
import { Refusals } from './refusals.js';
import { Relay } from './relay.js';
import { serveNames } from './resolver.js';
import { hostResolvers } from './resolvers.js';
import type { NetworkRefused, SessionNetwork, SessionNetworkOptions } from './types.js';

export { type DialerOptions, dialer } from './dial.js';
export type {
  Dial,
  DialTarget,
  EgressDenied,
  NetworkRefused,
  RelayCounts,
  SessionNetwork,
  SessionNetworkOptions,
} from './types.js';

/**
 * A network of its own for one session, or why this host gives none. It costs one start of Node; open it beside the rest of staging.
 * Keeps no process and does not keep the runtime alive.
 */
export async function openSessionNetwork(options: SessionNetworkOptions): Promise<SessionNetwork | NetworkRefused> {
  if (process.platform !== 'linux') return { refused: 'network namespaces are a feature of Linux' };
  const unshare = options.unshare === undefined ? locateUnshare() : options.unshare;
  if (unshare === null || unshare === undefined) return { refused: 'unshare (package util-linux) is not installed' };

  const { loopback, ipv6 } = hostResolvers();
  const ports = listenerPorts(options.rules);
  const handed = await startHelper(unshare, { ports, loopbackResolvers: loopback, resolvers6: ipv6 });
  if ('refused' in handed) return handed;

  const names = new Names(allowedNames(options.rules));
  const refusals = new Refusals(options.onRefused);
  const relay = new Relay(options.rules, names, options.dial, refusals);
  for (const listener of handed.listeners) relay.serve(listener);
  serveNames(handed.resolvers, names, refusals);

  const close = async () => {
    for (const fd of [handed.usernsFd, handed.netnsFd]) closeSync(fd);
    await Promise.all([
      relay.close(),
      ...handed.resolvers.map((socket) => new Promise<void>((resolve) => socket.close(() => resolve()))),
    ]);
  };
  let closing: Promise<void> | undefined;
  return {
    usernsFd: handed.usernsFd,
    netnsFd: handed.netnsFd,
    counts: refusals.counts,
    close: () => {
      closing ??= close();
      return closing;
    },
  };
}
