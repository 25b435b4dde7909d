import type { RuntimeManifest } from '../manifest/index.js';
import { type CapabilityPolicy, surveyStaging } from '../policy/index.js';
import { unbuiltKeys } from '../stage/unbuilt.js';
import type { Block, Finding } from './doctor-block.js';
import type { Warning } from './output.js';

/** What `mur run` would refuse of the manifest before it looks at any artifact, all of it at once. */
export function refusalsBlock(manifest: RuntimeManifest, policy: CapabilityPolicy): Block {
  const { refusals, warnings } = surveyStaging({ manifest, policy, lifecycle: manifest.lifecycle });
  const findings = refusals.map(
    ({ code, message, hint }): Finding => ({
      level: 'warning',
      code,
      text: `warning[${code}]: ${message}`,
      details: ['mur run will refuse this capsule until it is corrected'],
      ...(hint === undefined ? {} : { fix: hint }),
    }),
  );
  const unbuilt = unbuiltKeys({ policy, manifest });
  if (unbuilt.length > 0) {
    findings.push({
      level: 'error',
      code: 'E-RUN-907',
      text: `this version of mur cannot serve ${unbuilt.join(', ')} yet, so mur run will refuse this capsule`,
      fix: `remove ${unbuilt.join(', ')} from murmur.yaml, or use a version of mur that has it`,
    });
  }
  return {
    key: 'refusals',
    title: 'Refused at launch',
    lines: findings,
    json: findings.map(({ level, code, text }) => ({ level, code, text })),
    warnings: warnings.map(({ code, message }): Warning => ({ code, message, origin: 'runtime' })),
  };
}
