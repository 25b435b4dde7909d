import type { CredentialChange } from '../home/credential.js';
import { type SessionWorld, traceOf } from './world.js';

type Change =
  | (CredentialChange & { readonly source: 'config'; readonly credential: string })
  | {
      readonly type: 'rejected';
      readonly source: 'config' | 'environment' | 'manifest' | 'keyless';
      readonly retried: boolean;
    };

/** Writes what happened to a key: `inference_credential` for the configured driver's, `gateway_credential` for another artifact's. */
export function traceCredential(world: SessionWorld, artifact: string, { type, ...change }: Change): void {
  const fields = { ...change, change: type, ...(type === 'rejected' ? { status: 401 } : {}) };
  const trace = traceOf(world);
  if (artifact === world.draft.driver?.artifact.name) trace.write('inference_credential', fields);
  else trace.write('gateway_credential', { artifact, ...fields });
}
