import type { OpenArgs } from '../../../workers/wasi/http/messages.js';
import { matches, type NetworkTarget, permitsPrivate } from '../../policy/network.js';
import { requestHeaders } from './headers.js';
import { checkedLookup } from './lookup.js';
import type { EgressPolicy } from './policy.js';
import type { WireRequest } from './wire.js';

/** What an exchange sends, and what it does with the status of the answer. */
export interface Plan {
  /** True: the body is kept whole before sending, so that it can be sent again. */
  readonly keepsBody: boolean;
  first(): WireRequest;
  /** Another request to send the same body with; `undefined` hands the answer to the guest. */
  next(status: number): WireRequest | undefined;
}

/** An ordinary request: to the target as it is, if a rule lets it. `undefined` when none does. */
export function directPlan(policy: EgressPolicy, target: NetworkTarget, args: OpenArgs): Plan | undefined {
  const matching = policy.rules.filter((rule) => matches(rule, target));
  if (matching.length === 0) return undefined;
  const destination = `${target.host}:${target.port}`;
  const lookup = checkedLookup({
    allowPrivate: matching.some(permitsPrivate) || policy.privateNames.includes(target.host),
    resolve: policy.resolve,
    onRefused: () => policy.onEvent?.({ type: 'egress.denied', reason: 'private-address', target: destination }),
  });
  const isDefaultPort = target.port === (target.scheme === 'https' ? 443 : 80);
  return {
    keepsBody: false,
    first: () => ({
      scheme: target.scheme,
      host: target.host.replace(/^\[|\]$/g, ''),
      port: target.port,
      authority: isDefaultPort ? target.host : destination,
      method: args.method,
      path: pathOf(args),
      headers: requestHeaders(args.headers),
      lookup,
    }),
    next: (status) => {
      if (isRedirect(status)) policy.onEvent?.({ type: 'egress.redirected', target: destination, status });
      return undefined;
    },
  };
}

/** Reported, because a guest may read a redirect it does not follow as an empty success. */
export function isRedirect(status: number): boolean {
  return status >= 300 && status < 400 && status !== 304;
}

/** The request target in origin form (RFC 9112 section 3.2.1). */
export function pathOf({ pathWithQuery }: OpenArgs): string {
  if (pathWithQuery === undefined || pathWithQuery === '') return '/';
  return pathWithQuery.startsWith('/') ? pathWithQuery : `/${pathWithQuery}`;
}
