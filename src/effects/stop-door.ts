import type { Asked, ResidueItem } from '../../machines/stop/types.js';
import { reasonOf } from '../errors/index.js';
import { doorAddress } from '../liveness/door-address.js';
import { exchange } from '../liveness/exchange.js';
import { probeSession, type RunningRecord } from '../liveness/index.js';
import { fieldsOf, parsedJson } from '../text/index.js';

const limits = { connectMs: 2_000, readMs: 5_000, bodyBytes: 1024 * 1024 };

/** Longest time that asking takes: two requests. */
export const askLimitMs = 2 * (limits.connectMs + limits.readMs);

/**
 * Asks the door of a session to cancel what it runs (`session/stop`, spec/door.md section 14). Never rejects: a session that
 * cannot be asked is stopped all the same. The door says first whose it is, because a port that changed hands leads to another
 * session, and that one's tasks would be canceled.
 */
export async function askToStop(record: RunningRecord, signal: AbortSignal): Promise<Asked> {
  const address = doorAddress(record.url);
  if (address === undefined) return unasked(`the recorded address ${JSON.stringify(record.url)} is not host:port`);
  const headers = {
    Accept: 'application/json',
    'Content-Type': 'application/json',
    ...(record.door_token === undefined ? {} : { Authorization: `Bearer ${record.door_token.reveal()}` }),
  };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'session/stop', params: {} });
  try {
    const id = await probeSession(record, { ...limits, signal });
    if (id !== record.session_id) return unasked(`the capsule at ${address.text} answers for session ${id}`);
    const answer = await exchange({ address, method: 'POST', path: '/', headers, body }, limits, signal);
    return parseAnswer(answer.status, answer.body, address.text);
  } catch (error) {
    return unasked(reasonOf(error));
  }
}

function parseAnswer(status: number, body: string, where: string): Asked {
  const { result, error } = fieldsOf(parsedJson(body));
  if (result === undefined) {
    const { message } = fieldsOf(error);
    return unasked(typeof message === 'string' ? `${where} answered: ${message}` : `${where} answered ${status}`);
  }
  const { canceled, residue } = fieldsOf(result);
  return {
    ok: true,
    canceled: Array.isArray(canceled) ? canceled.filter((id) => typeof id === 'string') : [],
    residue: Array.isArray(residue) ? residue.filter(isItem) : [],
  };
}

function unasked(reason: string): Asked {
  return { ok: false, reason };
}

function isItem(value: unknown): value is ResidueItem {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
