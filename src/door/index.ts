/**
 * The door: the A2A endpoint of one session, on plain HTTP/1.1 (spec/door.md). It parses, guards and answers; what a
 * message does is decided by the session behind `TaskPort`. Not the task model (src/task), not liveness probing (src/liveness).
 * Read next: types.ts (options, bounds), door.ts (the server), handle.ts (the order of checks), perform.ts (an
 * operation), rpc.ts and rest/ (what carries it), dialects/ (who speaks how), server.ts (connections).
 */
export { DoorAuth, type DoorToken, tokenId } from './auth/index.js';
export type { CardInput } from './card.js';
export { openDoor } from './door.js';
export { isExposed } from './exposed.js';
export type { FrameStyle, ResidueItem, StreamCall, StreamPort, StreamWish, TaskPort } from './port.js';
export type { DoorSide } from './side.js';
export { SessionStreams } from './stream/index.js';
export { type Door, type DoorLimits, type DoorOptions, defaultLimits } from './types.js';
