import type { Secret } from '../errors/index.js';

/** How a key is written in a manifest: by reference, or (discouraged) in full. */
export type ApiKey =
  | { readonly kind: 'reference'; readonly name: string }
  | { readonly kind: 'literal'; readonly secret: Secret };

/** A credential gateway of one artifact (spec/manifest.md section 5). */
export interface Gateway {
  /** Validated: https, or http toward this machine; no userinfo, query or fragment. */
  readonly endpoint: string;
  /** Absent for a keyless gateway. */
  readonly apiKey?: ApiKey;
  /** `inference` when it was made from the older `inference.endpoint` keys: `upstream_auth` is then not required. */
  readonly declaredBy: 'gateway' | 'inference';
}
