import { checkContainment } from '../containment/check.js';
import { decide } from '../containment/decide.js';
import type { HostReport } from '../containment/host.js';
import { startsProcesses } from '../stage/containment.js';
import type { Prepared } from './prepare.js';

/**
 * Refuses a host that does not back what the box would have without `workdir_exec`: that key takes a class from every host, and must not
 * hide that this one has none (`E-CAP-003`).
 */
export function checkHost({ atLeast, asked: { policy } }: Prepared, host: HostReport | undefined): void {
  if (atLeast === undefined || host === undefined) return;
  const decision = decide(host, {
    floor: atLeast,
    workdirExec: false,
    runtimeInsideWorkdir: false,
    networkAllowEmpty: policy.networkAllow.length === 0,
    startsProcesses: startsProcesses({ policy }),
  });
  checkContainment({ host, decision, policy: { shellStagedRuntime: [] } });
}
