import { lookup as systemLookup } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import { isPrivateAddress } from '../../policy/network.js';
import { privateAddressCode } from './errors.js';
import type { Address } from './policy.js';

export interface LookupOptions {
  /** False: private addresses are dropped, and a name that has no other is refused. */
  readonly allowPrivate: boolean;
  readonly resolve?: ((host: string) => Promise<readonly Address[]>) | undefined;
  /** Called with the host when it is refused. */
  onRefused(host: string): void;
}

/**
 * The resolver of one connection. The addresses checked here are the ones Node connects to: there is no second resolution that a
 * server of changing answers could use (DNS rebinding).
 * Does not stop: an address that is literal in the request. Those never resolve; only a rule that names them lets them out.
 */
export function checkedLookup(options: LookupOptions): LookupFunction {
  const resolve = options.resolve ?? systemResolve;
  return (host, wanted, answer) => {
    resolve(host).then(
      (found) => {
        const permitted = options.allowPrivate ? found : found.filter(({ address }) => !isPrivateAddress(address));
        if (found.length > 0 && permitted.length === 0) {
          options.onRefused(host);
          answer(systemError(privateAddressCode, `'${host}' resolves to private addresses only`), '', 0);
          return;
        }
        const family = wanted.family === 4 || wanted.family === 6 ? wanted.family : undefined;
        const usable = permitted.filter((each) => family === undefined || each.family === family);
        const first = usable[0];
        if (first === undefined) answer(systemError('ENOTFOUND', `'${host}' has no usable address`), '', 0);
        else if (wanted.all === true) answer(null, [...usable]);
        else answer(null, first.address, first.family);
      },
      (error: NodeJS.ErrnoException) => answer(error, '', 0),
    );
  };
}

async function systemResolve(host: string): Promise<readonly Address[]> {
  const found = await systemLookup(host, { all: true });
  return found.map(({ address, family }) => ({ address, family: family === 6 ? 6 : 4 }));
}

function systemError(code: string, message: string): NodeJS.ErrnoException {
  return Object.assign(new Error(message), { code });
}
