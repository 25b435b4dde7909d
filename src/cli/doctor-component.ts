import { warningTable } from '../errors/index.js';
import type { ArtifactEntry } from '../manifest/index.js';
import { type CapabilityPolicy, startProblem } from '../policy/index.js';
import { interfaceText, readContract } from '../wasm/contract.js';
import { startsPrograms } from '../wasm/link.js';
import type { Finding } from './doctor-block.js';
import { interfaceProblem } from './doctor-interfaces.js';

export interface ComponentCheck {
  /** What is said of one that fits. */
  readonly text: string;
  /** What mends one that does not. */
  readonly fix: string;
  readonly policy: CapabilityPolicy;
}

/** What a run would say of this component: whether its interfaces are served here, and which programs of the host it may start. */
export function componentFinding(
  entry: ArtifactEntry,
  bytes: Uint8Array,
  { text, fix, policy }: ComponentCheck,
): Finding {
  const { imports, exports } = readContract(entry.name, bytes);
  const problem = interfaceProblem(
    [...exports, ...imports].filter(({ package: pack }) => pack !== '').map(interfaceText),
  );
  if (problem !== undefined) {
    const code = entry.runtime === 'driver' ? 'E-RUN-029' : 'E-RUN-001';
    return { level: 'error', code, text: `${entry.name}@${entry.version} - ${problem}`, fix };
  }
  if (!startsPrograms({ imports })) return { level: 'ok', text };
  const asks = 'asks to start programs (murmur:shell/execute)';
  const refused = startProblem(policy, entry);
  if (refused === undefined) return { level: 'ok', text, details: [`${asks}: ${policy.shellAllow.join(', ')}`] };
  return {
    level: 'warning',
    code: 'W-SEC-906',
    text: `${text} - ${asks}, and may start none: ${refused}`,
    fix: warningTable['W-SEC-906'].hint,
  };
}
