/** Other capsules and agents, for a tool. Sending blocks until the peer has taken the message, so nothing here needs to be awaited. */
import message from 'murmur:message/send@0.1.0';
import { Failure } from '../lib/failure.js';
import { payloadOf } from '../lib/payload.js';
import { wellFormed } from '../lib/utf8.js';

export interface Sent {
  readonly taskId: string;
  readonly contextId: string;
  readonly state: string;
}

function send(url: string, text: string, contextId?: string): Sent {
  try {
    return message.send(wellFormed(url), {
      // The runtime names it.
      messageId: '',
      contextId: contextId === undefined ? null : wellFormed(contextId),
      text: wellFormed(text),
    });
  } catch (error) {
    const reason = payloadOf(error);
    throw typeof reason === 'string' ? new Failure(reason) : error;
  }
}

export const peers = { send };
