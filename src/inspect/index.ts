/**
 * Live inspection: whoever may, watches a session as it runs, or looks at one that has ended. Read-only by construction: a client
 * sends nothing, and nothing here can change what a session does. Not the recording of sessions (src/trace, src/replay).
 *
 * | File | Does |
 * |---|---|
 * | frame | the protocol `mur.inspect.v1`: every frame a client can get |
 * | hub, backlog, duty, limits | from what happens to frames, without costing the session; attached only while somebody watches |
 * | watch, identity, view, definition | the actors of a session, what they are called, what is shown of them |
 * | redact, secrets | what never leaves the process |
 * | client, item, stately | one socket and its bounded queue; the frames of @statelyai/inspect |
 * | access, endpoint, page-files, token-file | who may connect; the paths on a port; the page; the token beside the running record |
 * | session, notes, subject | all of it for one session, from inside its process (`mur run --inspect`) |
 * | records/ | the same frames from what a session wrote to disk |
 * | relay/ | many sessions for one page (`mur inspect`) |
 * | page/ | the page itself, built into dist/inspect-page |
 *
 * Loaded late everywhere: a run that nobody can watch pays nothing. Read next: frame.ts, hub.ts, access.ts.
 */
export type * from './frame.js';
export { Hub, type HubOptions } from './hub.js';
export { SessionInspection } from './session.js';
