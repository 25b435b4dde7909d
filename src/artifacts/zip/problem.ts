import { safeForTerminal, truncateUtf8 } from '../../text/index.js';

/** Why an archive is refused. Becomes a `MurError` that names the archive (../archive.ts). */
export class ZipProblem extends Error {}

/** An entry's name as a message may print it. */
export function shown(name: string): string {
  return safeForTerminal(truncateUtf8(name, 200)).replaceAll('\n', '␊').replaceAll('\t', '␉');
}
