import { MurError, type Secret } from '../errors/index.js';
import type { RunningRecord } from './types.js';

/** The name of the token every authenticated door has. */
const operator = 'operator';

/** A token of a running session's door, from its record alone. `E-RUN-048` for a public door, `E-RUN-049` for an unknown name. */
export function tokenOf(record: RunningRecord, credential: string = operator): Secret {
  const { session_id, door_token, credentials = {} } = record;
  if (door_token === undefined) {
    throw new MurError('E-RUN-048', `the door of ${session_id} is public: it has no token`);
  }
  const token = credential === operator ? door_token : ownValue(credentials, credential);
  if (token !== undefined) return token;
  const names = [operator, ...Object.keys(credentials).sort()].join(', ');
  throw new MurError('E-RUN-049', `the door of ${session_id} has no credential '${credential}': it has ${names}`);
}

function ownValue(credentials: Readonly<Record<string, Secret>>, name: string): Secret | undefined {
  return Object.hasOwn(credentials, name) ? credentials[name] : undefined;
}
