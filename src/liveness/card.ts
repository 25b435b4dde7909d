import { fieldsOf } from '../text/index.js';

/** The capsule extension of the cards of later doors; its address has changed, its ending has not. */
const capsuleExtension = '#murmur-capsule-v1';

/**
 * The session an agent card answers for; `undefined` when it names none, or names two. Reads every generation: the id in the
 * capsule extension, and the top-level one of 0.4 doors (spec/liveness.md 5.5).
 */
export function sessionIdOf(card: unknown): string | undefined {
  const { session_id: plain, capabilities } = fieldsOf(card);
  const { extensions } = fieldsOf(capabilities);
  const capsule = Array.isArray(extensions) ? extensions.find(isCapsule) : undefined;
  const extended = fieldsOf(fieldsOf(capsule).params).sessionId;
  const ids = new Set([extended, plain].filter(isId));
  return ids.size === 1 ? [...ids][0] : undefined;
}

function isCapsule(extension: unknown): boolean {
  const { uri } = fieldsOf(extension);
  return typeof uri === 'string' && uri.endsWith(capsuleExtension);
}

function isId(value: unknown): value is string {
  return typeof value === 'string';
}
