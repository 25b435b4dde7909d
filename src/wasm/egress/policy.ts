import type { Secret } from '../../errors/index.js';
import type { NetworkRule } from '../../policy/network.js';

/** Where a gateway's key comes from (spec/spend.md section 4.4). Lives on the main thread only. */
export interface CredentialSource {
  readonly source: 'config' | 'environment' | 'manifest' | 'keyless';
  /** The key for the next request; a `config` source reads its file. */
  current(): Secret | undefined;
  /** The key after the upstream refused the current one. */
  reread(): Secret | undefined;
}

/** A destination the operator declared for one artifact, reached by the guest under an address where nothing listens. */
export interface GatewayRoute {
  /** Path of the operator's endpoint, e.g. `/v1`. The guest's address is `http://127.0.0.1:9<path>`. */
  readonly endpointPath: string;
  /** The operator's endpoint. Scheme, host and port are used; path and query come from the guest's request. */
  readonly upstream: URL;
  /** Header that carries the key, and its value with `{key}` in it. Absent for drivers that set the header themselves. */
  readonly auth?: { readonly header: string; readonly value: string };
  /** Stand-in the guest holds instead of the key; replaced in header values, toward this upstream only. */
  readonly placeholder?: string;
  readonly credential: CredentialSource;
  /** A metered gateway sends nothing while this is false (spec/spend.md 4.3 step 1). Absent: always open. */
  isOpen?(): boolean;
}

export type Address = { readonly address: string; readonly family: 4 | 6 };

export interface EgressPolicy {
  /** Empty denies everything but gateways. */
  readonly rules: readonly NetworkRule[];
  /** Lower-case host names that may resolve to private addresses (`network.private_names` of the global config). */
  readonly privateNames: readonly string[];
  readonly gateways: readonly GatewayRoute[];
  onEvent?(event: EgressEvent): void;
  /** Caps; a guest may ask for less. Defaults 30 s, 600 s, 600 s. */
  readonly connectTimeoutMs?: number;
  readonly firstByteTimeoutMs?: number;
  readonly betweenBytesTimeoutMs?: number;
  /** Every address of a name. Default: the system resolver. */
  resolve?(host: string): Promise<readonly Address[]>;
}

/** What the session may want to trace. Never a path, a header or a key. */
export type EgressEvent =
  | {
      readonly type: 'egress.denied';
      readonly reason: 'not-allowed' | 'private-address' | 'no-admission';
      /** `host:port`, or the guest's own text where it is no destination. */
      readonly target: string;
    }
  | { readonly type: 'egress.redirected'; readonly target: string; readonly status: number }
  | { readonly type: 'gateway.responded'; readonly endpointPath: string; readonly status: number }
  /** The upstream answered 401. `retried`: also to the key read anew. */
  | {
      readonly type: 'gateway.credential-rejected';
      readonly endpointPath: string;
      readonly source: CredentialSource['source'];
      readonly retried: boolean;
    }
  /** An answer other than 401: a pending rejection no longer stands. */
  | { readonly type: 'gateway.credential-accepted'; readonly endpointPath: string };

const guestAuthority = '127.0.0.1:9';

/** The address under which a guest reaches `route`: `http://127.0.0.1:9` and the endpoint's path without a trailing slash. */
export function guestEndpoint(route: GatewayRoute): string {
  return `http://${guestAuthority}${route.endpointPath.replace(/\/+$/, '')}`;
}

/**
 * The route a request means, by the exact scheme and authority (spec/spend.md 4.2). Of several, the one with the longest endpoint
 * path that the request's path lies under.
 */
export function findGateway(
  routes: readonly GatewayRoute[],
  scheme: string,
  authority: string | undefined,
  pathWithQuery: string,
): GatewayRoute | undefined {
  if (scheme !== 'http' || authority !== guestAuthority) return undefined;
  if (routes.length === 1) return routes[0];
  const path = pathWithQuery.split('?', 1)[0]!;
  const under = (route: GatewayRoute): boolean => {
    const base = route.endpointPath.replace(/\/+$/, '');
    return path === base || path.startsWith(`${base}/`);
  };
  return routes.filter(under).sort((a, b) => b.endpointPath.length - a.endpointPath.length)[0];
}
