import { fieldsOf, parsedJson } from '../text/index.js';

/** How a peer is spoken to (spec/door.md section 0). */
export interface PeerWords {
  /** `v1`: the methods of A2A 1.0. `murmur`: those before it, in a form that A2A 0.3 takes too. */
  readonly dialect: 'v1' | 'murmur';
  /** Where on its server the peer takes requests, when its card says so. */
  readonly path?: string;
}

/**
 * What the text of an agent card says of how to speak to its owner: A2A 1.0 where it has an interface of that version over JSON-RPC, else the
 * Murmur dialect; so does whatever is no card. Of the addresses in it only the path is taken: a card must not lead a message to another
 * host, and that of a capsule says `localhost` wherever it runs.
 */
export function readCard(text: string): PeerWords {
  const card = fieldsOf(parsedJson(text));
  const interfaces = Array.isArray(card.supportedInterfaces) ? card.supportedInterfaces.map(fieldsOf) : [];
  const spoken = interfaces.filter(({ protocolBinding }) => isJsonRpc(protocolBinding));
  const v1 = spoken.find(({ protocolVersion }) => /^1(?:\.|$)/.test(textOf(protocolVersion)));
  if (v1 !== undefined) return { dialect: 'v1', ...pathIn(v1.url) };
  const { preferredTransport = 'JSONRPC' } = card;
  const [first = isJsonRpc(preferredTransport) ? card : {}] = spoken;
  return { dialect: 'murmur', ...pathIn(first.url) };
}

function isJsonRpc(transport: unknown): boolean {
  return textOf(transport).toUpperCase() === 'JSONRPC';
}

function pathIn(url: unknown): { readonly path?: string } {
  const text = textOf(url);
  if (!/^https?:\/\//i.test(text) || text.length > 2048 || !URL.canParse(text)) return {};
  const { pathname, search } = new URL(text);
  return { path: `${pathname}${search}` };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
