/**
 * Layer 3: which session the door of a record answers for. One request, and only to the recorded address; a door with
 * authentication is asked with the record's operator token.
 *
 * Does not stop: a program that took over the port and repeats the id it is expected to have. The layers before it have already
 * said that the process of the record is alive; this one says that it can still answer.
 */
import { fieldsOf, parsedJson } from '../text/index.js';
import { sessionIdOf } from './card.js';
import { type DoorAddress, doorAddress } from './door-address.js';
import { type ExchangeLimits, exchange } from './exchange.js';
import type { RunningRecord } from './types.js';

const cardPath = '/.well-known/agent-card.json';
const limits: ExchangeLimits = { connectMs: 2_000, readMs: 5_000, bodyBytes: 1024 * 1024 };

/** A2A 1.0 first; a door of the 0.3 era says that it has no such method. */
const extendedCardMethods = ['GetExtendedAgentCard', 'agent/getAuthenticatedExtendedCard'];
const methodNotFound = -32601;

export interface ProbeOptions extends Partial<ExchangeLimits> {
  readonly signal?: AbortSignal;
}

/** Resolves with the session id on the door's card. Rejects with an error whose message is why there is none. */
export async function probeSession(
  record: Pick<RunningRecord, 'url' | 'door_token'>,
  { signal, ...overrides }: ProbeOptions = {},
): Promise<string> {
  const address = doorAddress(record.url);
  if (address === undefined) throw new Error(`the recorded address ${JSON.stringify(record.url)} is not host:port`);
  const within = { ...limits, ...overrides };
  const card =
    record.door_token === undefined
      ? await publicCard(address, within, signal)
      : await extendedCard(address, record.door_token.reveal(), within, signal);
  const sessionId = sessionIdOf(card);
  if (sessionId === undefined) throw new Error(`the agent card from ${address.text} names no session`);
  return sessionId;
}

async function publicCard(address: DoorAddress, within: ExchangeLimits, signal?: AbortSignal): Promise<unknown> {
  const headers = { Accept: 'application/json' };
  const { status, body } = await exchange({ address, method: 'GET', path: cardPath, headers }, within, signal);
  if (status !== 200) throw new Error(`${address.text} answered ${status} to GET ${cardPath}`);
  const card = parsedJson(body);
  if (card === undefined) throw new Error(`the agent card from ${address.text} is not JSON`);
  return card;
}

async function extendedCard(
  address: DoorAddress,
  token: string,
  within: ExchangeLimits,
  signal?: AbortSignal,
): Promise<unknown> {
  const headers = {
    Accept: 'application/json',
    'Content-Type': 'application/json',
    Authorization: `Bearer ${token}`,
  };
  for (const method of extendedCardMethods) {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method });
    const answer = await exchange({ address, method: 'POST', path: '/', headers, body }, within, signal);
    const { result, error } = fieldsOf(parsedJson(answer.body));
    if (result !== undefined) return result;
    if (fieldsOf(error).code !== methodNotFound) break;
  }
  throw new Error(`the capsule at ${address.text} did not return its extended agent card`);
}
