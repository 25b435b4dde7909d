import { type DoorTarget, targetOfRecord, targetOfUrl } from '../door-client/index.js';
import { Secret } from '../errors/index.js';
import { locateMurmurHome } from '../home/murmur-home.js';
import { resolveAddress, sweepRecords } from '../liveness/index.js';
import type { CliContext } from './context.js';

/** How a command names a door: a session of this machine, or `--url`. */
export interface DoorFlags {
  readonly address?: string;
  readonly url?: string;
}

/** For the help of each command that takes one. */
export const doorHelp = `
Addresses:
  @1, @2, ...                  the newest session, the one before it, as mur ps lists them
  ses_0199...                  a session id, or four or more characters of its end
  --url <host:port>            any door; MURMUR_DOOR_TOKEN holds its token where it wants one`;

/**
 * The door to talk to. A session's is asked first whether it is that session's, and gets the operator's token of its running record; one
 * named by `--url` gets `MURMUR_DOOR_TOKEN`. `E-RUN-022` and `E-RUN-023` say why there is none.
 */
export async function doorOf({ address, url }: DoorFlags, { env }: CliContext): Promise<DoorTarget> {
  if (url !== undefined) return targetOfUrl(url, env.MURMUR_DOOR_TOKEN ? new Secret(env.MURMUR_DOOR_TOKEN) : undefined);
  return targetOfRecord(resolveAddress(address ?? '@1', sweepRecords(locateMurmurHome(env))));
}

/** What a person calls the door: its session and capsule, or its address. */
export function nameOf({ record, address }: DoorTarget): string {
  if (record === undefined) return address.text;
  return `${record.session_id} (${record.capsule_name}@${record.capsule_version})`;
}
