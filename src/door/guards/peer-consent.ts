import type { IncomingHttpHeaders } from 'node:http';

/**
 * True when the request may pass as far as peer consent goes (spec/door.md section 9): it does not come from another
 * capsule, or the manifest has `exports.peer_tasks.accept: true`.
 *
 * Does not stop: a sender that leaves the header out. It is consent, not authentication.
 */
export function isPeerWelcome(headers: IncomingHttpHeaders, acceptsPeerTasks: boolean): boolean {
  return acceptsPeerTasks || headers['x-murmur-task-origin'] !== 'peer';
}
