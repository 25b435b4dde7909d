import { MurError, reasonOf, type Secret } from '../errors/index.js';
import { type DoorAddress, doorAddress } from '../liveness/door-address.js';
import { didNotAnswer, probeSession, type RunningRecord } from '../liveness/index.js';

/** A door to talk to. */
export interface DoorTarget {
  readonly address: DoorAddress;
  /** Presented with every request. */
  readonly token?: Secret | undefined;
  /** The session it is the door of; absent for one named by its address. */
  readonly record?: RunningRecord;
}

/**
 * The door of a running session, once it has said that it is: a port that changed hands leads to another session, which would get the
 * message. `E-RUN-023` when it does not answer, or answers for another.
 */
export async function targetOfRecord(record: RunningRecord, signal?: AbortSignal): Promise<DoorTarget> {
  const address = doorAddress(record.url);
  if (address === undefined) throw didNotAnswer(record, 'the recorded address is not host:port');
  const id = await probeSession(record, signal === undefined ? {} : { signal }).catch((error) => {
    throw didNotAnswer(record, reasonOf(error));
  });
  if (id !== record.session_id) throw didNotAnswer(record, 'it answers for another session');
  return { address, token: record.door_token, record };
}

/** The door at `host:port`, with or without `http://`. `E-IO-003` for any other form. */
export function targetOfUrl(url: string, token: Secret | undefined): DoorTarget {
  const address = /^https:/i.test(url) ? undefined : doorAddress(url);
  if (address !== undefined) return { address, token };
  throw new MurError('E-IO-003', `--url must be <host:port>, as mur run prints it; '${url}' is not`, {
    hint: 'such as --url localhost:4242',
  });
}
