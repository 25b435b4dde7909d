import { readCapsuleComponent } from '../artifacts/index.js';
import { toMurError, warningTable } from '../errors/index.js';
import type { RuntimeManifest } from '../manifest/index.js';
import { type CapabilityPolicy, startProblem } from '../policy/index.js';
import { readContract } from '../wasm/contract.js';
import { linkError, startsPrograms } from '../wasm/link.js';
import type { Finding } from './doctor-block.js';

/** What a run would say of the component of a script capsule. Nothing of an agent, which has none. */
export function capsuleFindings(
  { name, version, inference }: RuntimeManifest,
  manifestDir: string,
  policy: CapabilityPolicy,
): readonly Finding[] {
  if (inference !== undefined) return [];
  const text = `${name}@${version} component of the capsule`;
  try {
    const contract = readContract(name, readCapsuleComponent(manifestDir).bytes);
    const problem = linkError(contract, 'capsule', name);
    if (problem !== undefined) throw problem;
    if (!startsPrograms(contract)) return [{ level: 'ok', text }];
    const asks = 'asks to start programs (murmur:shell/execute)';
    const refused = startProblem(policy);
    if (refused === undefined) return [{ level: 'ok', text, details: [`${asks}: ${policy.shellAllow.join(', ')}`] }];
    const fix = warningTable['W-SEC-906'].hint;
    return [{ level: 'warning', code: 'W-SEC-906', text: `${text} - ${asks}, and may start none: ${refused}`, fix }];
  } catch (error) {
    const { code, message, hint } = toMurError(error);
    return [{ level: 'error', code, text: `${text} - ${message}`, ...(hint === undefined ? {} : { fix: hint }) }];
  }
}
