import { Secret } from '../errors/index.js';
import { looksLikeCredential } from '../policy/patterns.js';
import type { SessionWorld } from './world.js';

/** Shorter values are words of everyday text: replacing them would garble a log and hide nothing. */
const shortestSecret = 6;

/**
 * What this session holds that nobody may read in its log: the keys of its gateways, and the values of host variables named like a
 * credential, whether a guest was granted them or not.
 *
 * Does not find: a secret in a variable whose name reads like none, and a key that rotates in later (those reach the egress only).
 */
export function secretsOf({ draft }: SessionWorld): Secret[] {
  const keys = [...draft.gateways.values()].flatMap(({ credential }) => credential.current() ?? []);
  const named = Object.entries(draft.request.hostEnv)
    .filter(([name]) => looksLikeCredential(name))
    .map(([, value = '']) => new Secret(value.trim()));
  return [...keys, ...named].filter((secret) => secret.reveal().length >= shortestSecret);
}
