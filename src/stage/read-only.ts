import type { ContainmentDecision } from '../containment/decide.js';
import type { HostReport } from '../containment/host.js';
import { noReadOnlyMounts, unheldReadOnly } from '../containment/read-only.js';
import type { WarningCode } from '../errors/index.js';
import type { CapabilityPolicy } from '../policy/index.js';
import { isInterpreter, type ReadOnlyHold } from '../scope/index.js';

/** What holds the read-only paths of a session besides the check of its calls, for the report and the warnings. */
export function readOnlyHold(
  { readOnlyPaths }: Pick<CapabilityPolicy, 'readOnlyPaths'>,
  decision: ContainmentDecision,
  session: { readonly host: HostReport | undefined; readonly work: string; readonly startsCommands: boolean },
): ReadOnlyHold | undefined {
  if (readOnlyPaths.length === 0) return undefined;
  const { host, work, startsCommands } = session;
  const because = startsCommands ? noReadOnlyMounts(decision, host) : 'the capsule starts no commands';
  return because === undefined
    ? { commands: 'mounts', because: null, notHeld: unheldReadOnly(work, readOnlyPaths) }
    : { commands: null, because, notHeld: [] };
}

/** `W-SEC-017` per interpreter, unless mounts hold every path: then it writes none of them, whatever it is told. */
export function readOnlyWarnings(
  { shellAllow }: Pick<CapabilityPolicy, 'shellAllow'>,
  hold: ReadOnlyHold | undefined,
): readonly { readonly code: WarningCode; readonly message: string }[] {
  if (hold === undefined || (hold.commands === 'mounts' && hold.notHeld.length === 0)) return [];
  const why = hold.because ?? hold.notHeld.map(({ path, because }) => `${path}: ${because}`).join('; ');
  return shellAllow.filter(isInterpreter).map((name) => ({
    code: 'W-SEC-017',
    message: `read_only paths are declared, and the check of calls cannot see what '${name}' writes (${why})`,
  }));
}
