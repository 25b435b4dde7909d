/** A name server on the loopback, for a machine whose `/etc/resolv.conf` names it. Port 53 is root's. */
import { createSocket } from 'node:dgram';
import { answerTo, parseQuery, typeA } from '../../src/containment/egress/dns.js';

export interface NameServer {
  readonly address: string;
  /** Every name that was asked for. */
  readonly asked: readonly string[];
  close(): void;
}

/** Answers each name in `names` with its addresses in turn, and no other. */
export async function nameServer(names: Readonly<Record<string, readonly string[]>>): Promise<NameServer> {
  const socket = createSocket('udp4');
  const asked: string[] = [];
  const turns = new Map<string, number>();
  socket.on('message', (packet, from) => {
    const query = parseQuery(packet);
    if (query === undefined) return;
    asked.push(query.name);
    const addresses = names[query.name];
    const turn = turns.get(query.name) ?? 0;
    if (query.type === typeA) turns.set(query.name, turn + 1);
    const address = query.type === typeA ? addresses?.[turn % addresses.length] : undefined;
    const reply = answerTo(packet, query, addresses === undefined ? 'refused' : 'ok', address);
    if (reply !== undefined) socket.send(reply, from.port, from.address, () => {});
  });
  // An address of its own: another test, or this machine, may have a name server at the others.
  const address = `127.${100 + (process.pid % 100)}.${process.pid % 251}.53`;
  await new Promise<void>((resolve, reject) => {
    socket.once('error', reject).bind(53, address, resolve);
  });
  return { address, asked, close: () => socket.close() };
}
