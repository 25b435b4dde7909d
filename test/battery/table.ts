/** Every row of the battery. There is no list of rows to leave out, and no switch that makes one. */
import type { Case } from './case.js';
import { callCases } from './cases/calls.js';
import { ceilingCases } from './cases/ceilings.js';
import { fileCases } from './cases/files.js';
import { exfiltration, networkCases } from './cases/network.js';
import { controlRows } from './controls.js';
import { killRows } from './kill.js';
import { limitRows } from './limits.js';
import { sandboxRows } from './sandbox.js';
import { workRows } from './work.js';

export const permanentId = 'exec-renamed-disallowed-binary';

/** Rows that are attempts of one interpreter. */
export const batteryCases: readonly Case[] = [...fileCases, ...callCases, ...networkCases, ...ceilingCases];

/** Ids of everything a full run grades. */
export const allIds: readonly string[] = [
  ...batteryCases.map(({ id }) => id),
  ...exfiltration.map(({ id }) => id),
  ...[controlRows, workRows, limitRows, sandboxRows, killRows].flatMap((rows) =>
    Object.values(rows).map(({ id }) => id),
  ),
];

/** Attempts that may be made with nothing around them: they read, or write into folders of the battery, and end what they start. */
const harmless =
  'read-etc-shadow stat-outside-workdir read-outside-workdir symlink-escape symlink-escape-outside proc-self-cwd-reopen proc-self-cwd-outside proc-self-fd-reopen inherited-fd-after-exec other-sessions-records state-store-isolation host-path-exec exec-renamed-disallowed-binary exec-planted exec-unlisted exec-loader-planted exec-loader-unlisted exec-mapping-planted memfd-exec path-hijack exec-script-by-interpreter exec-allowed-nested abstract-unix-socket-connect pathname-unix-socket-connect connect-host-loopback unix-socket-creation netlink-and-packet inet-creation runtime-signal';

export function isHarmless(id: string): boolean {
  return harmless.split(' ').includes(id);
}
