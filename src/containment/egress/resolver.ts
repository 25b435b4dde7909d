/**
 * The name server of a session's network: it knows the allowed names and asks nobody. An allowed name has one address (names.ts) and
 * no other record, so that no record carries data; any other name is refused at once. Nothing is resolved here: whether a name exists
 * shows when it is dialled (spec/containment.md 14.4).
 * Does not stop: a command that keeps the runtime busy answering; queries beyond the rate are dropped unread.
 */
import type { Socket } from 'node:dgram';
import { answerTo, parseQuery, type Rcode, typeA } from './dns.js';
import type { Names } from './names.js';
import type { Refusals } from './refusals.js';

const queriesPerSecond = 200;
const burst = 400;

/** A bucket of `burst` tokens that fills with `perSecond`. */
export function rate(
  perSecond = queriesPerSecond,
  capacity = burst,
  nowMs = () => performance.now(),
): { take(): boolean } {
  let tokens = capacity;
  let at = nowMs();
  return {
    take: () => {
      const now = nowMs();
      tokens = Math.min(capacity, tokens + ((now - at) * perSecond) / 1000);
      at = now;
      if (tokens < 1) return false;
      tokens -= 1;
      return true;
    },
  };
}

/** The answer to one packet; `undefined` when it has none. */
export function answer(packet: Uint8Array, names: Names, refusals: Refusals): Uint8Array | undefined {
  const query = parseQuery(packet);
  if (query === undefined) return answerTo(packet, undefined, 'malformed');
  const address = names.addressOf(query.name);
  const rcode: Rcode = !query.plain ? 'not-implemented' : address === undefined ? 'refused' : 'ok';
  if (rcode === 'refused') refusals.name(query.name);
  return answerTo(packet, query, rcode, rcode === 'ok' && query.type === typeA ? address : undefined);
}

/** Serves the sockets until they are closed. */
export function serveNames(sockets: readonly Socket[], names: Names, refusals: Refusals): void {
  const limit = rate();
  for (const socket of sockets) {
    socket.on('error', () => {});
    socket.on('message', (packet, from) => {
      if (!limit.take()) {
        refusals.counts.dropped += 1;
        return;
      }
      const reply = answer(packet, names, refusals);
      // A reply that cannot be sent is a lost datagram; the asker tries again.
      if (reply !== undefined) socket.send(reply, from.port, from.address, () => {});
    });
    socket.unref();
  }
}
