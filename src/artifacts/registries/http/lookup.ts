import { lookup as systemLookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { isPrivateAddress } from '../../../policy/network.js';
import { NoAnswer } from './failure.js';

/**
 * A resolver for an address that a public server sent us to: a name with any private address is refused, and the addresses checked are
 * the ones Node connects to. Does not stop: an address written as a number, which is never resolved (see `refusePrivateLiteral`).
 */
export const publicLookup: LookupFunction = (host, options, answer) => {
  systemLookup(host, { ...options, all: true }, (error, found) => {
    if (error !== null) return answer(error, '', 0);
    if (found.some(({ address }) => isPrivateAddress(address))) return answer(privateTarget(), '', 0);
    const first = found[0]!;
    return options.all === true ? answer(null, found) : answer(null, first.address, first.family);
  });
};

/** Throws when the host of `url` is a private address written as a number. */
export function refusePrivateLiteral(url: URL): void {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) !== 0 && isPrivateAddress(host)) throw privateTarget();
}

function privateTarget(): NoAnswer {
  return new NoAnswer('redirected from a public server to a private address');
}
