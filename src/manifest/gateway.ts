import { Secret } from '../errors/index.js';
import { endpointProblem } from './endpoint.js';
import { referenceName } from './grammar.js';
import { present, trimmed } from './present.js';
import type { Report } from './report.js';
import { block, flag, text, type z } from './shape.js';
import type { Path } from './tree.js';

/** `artifacts[].gateway`: where an artifact's keyed requests go. The key itself never reaches the artifact. */
export const gatewayShape = block({ endpoint: text(), api_key: text(), keyless: flag() });

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

export function readGateway(
  raw: NonNullable<z.infer<typeof gatewayShape>>,
  path: Path,
  artifact: string,
  report: Report,
): Gateway {
  const endpoint = trimmed(raw.endpoint);
  if (endpoint === undefined) {
    throw report.fault([...path, 'endpoint'], `artifact '${artifact}' declares 'gateway:' without 'gateway.endpoint'`);
  }
  const problem = endpointProblem(endpoint);
  if (problem !== undefined) {
    const message = `gateway.endpoint ${problem.shown} on artifact '${artifact}' ${problem.why}`;
    throw report.fault([...path, 'endpoint'], message);
  }
  const keyWritten = raw.api_key !== undefined;
  if (raw.keyless === true && keyWritten) {
    const message = `artifact '${artifact}' declares both 'gateway.api_key' and 'gateway.keyless: true'; keep one`;
    throw report.fault([...path, 'api_key'], message);
  }
  const apiKey = readApiKey(raw.api_key);
  if (apiKey === undefined && raw.keyless !== true) {
    const message = `artifact '${artifact}' declares gateway.endpoint '${endpoint}' but binds no credential`;
    throw report.fault(path, message, { code: 'E-CAP-018' });
  }
  return present({ endpoint, apiKey, declaredBy: 'gateway' as const });
}

/** A written key; blank counts as none. */
export function readApiKey(value: string | null | undefined): ApiKey | undefined {
  const written = trimmed(value);
  if (written === undefined) return undefined;
  const name = referenceName(written);
  return name === undefined ? { kind: 'literal', secret: new Secret(written) } : { kind: 'reference', name };
}
