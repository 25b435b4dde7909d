import type { OpenArgs } from '../../../workers/wasi/http/messages.js';
import type { Secret } from '../../errors/index.js';
import { requestHeaders, type WireHeader } from './headers.js';
import { checkedLookup } from './lookup.js';
import { isRedirect, type Plan, pathOf } from './plan.js';
import type { EgressPolicy, GatewayRoute } from './policy.js';
import type { WireRequest } from './wire.js';

/**
 * A request to a gateway: re-addressed to the operator's upstream, with the key put in on the way (spec/spend.md 4.3). The key is
 * unwrapped here and nowhere else; it goes into the request's headers and into nothing that leaves this thread.
 * Does not stop: an upstream that repeats the key in its answer.
 */
export function gatewayPlan(policy: EgressPolicy, route: GatewayRoute, args: OpenArgs): Plan {
  const { upstream, credential, endpointPath } = route;
  const emit = (event: Parameters<NonNullable<EgressPolicy['onEvent']>>[0]): void => policy.onEvent?.(event);
  // The operator named this destination, so neither the allow rules nor the private-address rule applies.
  const lookup = checkedLookup({ allowPrivate: true, resolve: policy.resolve, onRefused: () => {} });
  const scheme = upstream.protocol === 'http:' ? 'http' : 'https';
  let used: Secret | undefined;
  let retried = false;

  const requestWith = (key: Secret | undefined): WireRequest => {
    used = key;
    return {
      scheme,
      host: upstream.hostname.replace(/^\[|\]$/g, ''),
      port: upstream.port === '' ? (scheme === 'https' ? 443 : 80) : Number(upstream.port),
      authority: upstream.host,
      method: args.method,
      path: pathOf(args),
      headers: withKey(route, requestHeaders(args.headers), key),
      lookup,
    };
  };

  return {
    keepsBody: true,
    first: () => requestWith(credential.current()),
    next: (status) => {
      if (status === 401 && credential.source !== 'keyless') {
        const key = retried ? undefined : credential.reread();
        if (key !== undefined && key.reveal() !== used?.reveal()) {
          retried = true;
          return requestWith(key);
        }
        emit({ type: 'gateway.credential-rejected', endpointPath, source: credential.source, retried });
      } else if (status !== 401) {
        emit({ type: 'gateway.credential-accepted', endpointPath });
      }
      emit({ type: 'gateway.responded', endpointPath, status });
      if (isRedirect(status)) emit({ type: 'egress.redirected', target: upstream.host, status });
      return undefined;
    },
  };
}

/** First the placeholder, then the declared header: every header of that name goes, exactly one comes (spec/drivers.md 9.3). */
function withKey(route: GatewayRoute, headers: readonly WireHeader[], key: Secret | undefined): WireHeader[] {
  const { auth, placeholder } = route;
  const filled =
    placeholder === undefined || key === undefined
      ? headers
      : headers.map(([name, value]): WireHeader => [name, value.replaceAll(placeholder, () => key.reveal())]);
  if (auth === undefined) return [...filled];
  const name = auth.header.toLowerCase();
  const others = filled.filter(([each]) => each !== name);
  return key === undefined ? others : [...others, [name, auth.value.replaceAll('{key}', () => key.reveal())]];
}
