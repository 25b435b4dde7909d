/**
 * Sends a message to another capsule, or to any agent that speaks A2A, for a guest: `murmur:message/send` (spec/wit.md 3.4). Like every
 * egress of a guest it goes where the component's own network rules let it, and nowhere else. Not the door (src/door), not what the
 * commands of `mur` send (src/door-client), not what a guest sends by itself over HTTP (src/wasm/egress).
 *
 * The peer is nobody we trust: each of its answers is bounded in size and time, no redirect is followed, its card chooses words and a
 * path and never a host.
 *
 * Does not stop: what a guest tells a peer it may reach; a peer that lies about its task.
 *
 * | File | Does |
 * |---|---|
 * | address | which server a guest means |
 * | exchange | one request under the rules, and its answer |
 * | card | which words the peer understands |
 * | message | the request, the task in its answer, what a refusal means |
 *
 * Read next: send.ts.
 */
export { type PeerLimits, peerLimits, type SendOptions, sendToPeer } from './send.js';
