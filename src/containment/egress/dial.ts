import { connect, type Socket } from 'node:net';
import { permitsPrivate } from '../../policy/network.js';
import type { Address } from '../../wasm/egress/index.js';
import { checkedLookup } from '../../wasm/egress/lookup.js';
import type { Dial } from './types.js';

export interface DialerOptions {
  /** Lower-case host names that may resolve to private addresses (`network.private_names` of the global config). */
  readonly privateNames: readonly string[];
  /** Every address of a name. Default: the system resolver. */
  resolve?(host: string): Promise<readonly Address[]>;
}

/**
 * Connects to what a rule let out, by name, with the private-address rule of guests: the address checked is the address connected to,
 * so a server that changes its answers (DNS rebinding) gains nothing. No proxy of the environment is used.
 */
export function dialer(options: DialerOptions): Dial {
  return ({ host, port, matching }, signal) => {
    const lookup = checkedLookup({
      allowPrivate: matching.some(permitsPrivate) || options.privateNames.includes(host),
      resolve: options.resolve?.bind(options),
      onRefused: () => {},
    });
    return new Promise<Socket>((resolve, reject) => {
      const socket = connect({ host: host.replace(/^\[|\]$/g, ''), port, lookup, allowHalfOpen: true, noDelay: true });
      const giveUp = () => socket.destroy(new Error(`connecting to ${host}:${port} was given up`));
      const settle = () => {
        signal.removeEventListener('abort', giveUp);
        socket.removeListener('error', fail);
      };
      const fail = (error: Error) => {
        settle();
        reject(error);
      };
      signal.addEventListener('abort', giveUp, { once: true });
      socket.once('error', fail);
      socket.once('connect', () => {
        settle();
        resolve(socket);
      });
    });
  };
}
