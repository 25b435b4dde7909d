import { type IncomingMessage, request } from 'node:http';
import { reasonOf } from '../errors/index.js';
import { refusal, requestHeaders, silence } from './call.js';
import { EventParser, type ServerEvent } from './sse.js';
import type { DoorTarget } from './target.js';

const answerMs = 10_000;
/** Three heartbeats (spec/door.md 15.2): a door that says nothing for so long is gone, or the way to it is. */
const silentMs = 45_000;
const refusalBytes = 64 * 1024;

/** A stream that is open. Iterate it once; leaving the loop, or `close`, ends the connection. */
export interface DoorStream extends AsyncIterable<ServerEvent> {
  close(): void;
}

/**
 * Every frame of a session, from `lastEventId` on (`stream/watch`). Resolves once the door has begun to answer. The iteration ends when the
 * connection does, and throws when it breaks.
 */
export async function openWatch(target: DoorTarget, lastEventId: number, signal?: AbortSignal): Promise<DoorStream> {
  const { host, port } = target.address;
  const headers = { ...requestHeaders(target), Accept: 'text/event-stream', 'Last-Event-ID': String(lastEventId) };
  const sent = await new Promise<IncomingMessage>((resolve, reject) => {
    const asking = request({ host, port, method: 'POST', path: '/', headers, agent: false, ...(signal && { signal }) });
    const timer = setTimeout(() => asking.destroy(new Error(`no answer within ${answerMs / 1000} s`)), answerMs);
    asking.once('response', (response) => {
      clearTimeout(timer);
      asking.setTimeout(silentMs, () => response.destroy(new Error(`nothing was heard for ${silentMs / 1000} s`)));
      resolve(response);
    });
    asking.on('error', (error) => {
      clearTimeout(timer);
      reject(silence(target, reasonOf(error)));
    });
    asking.end(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'stream/watch', params: {} }));
  });
  if (sent.statusCode !== 200 || !/^text\/event-stream\b/i.test(sent.headers['content-type'] ?? '')) {
    throw refusal(target, sent.statusCode ?? 0, await beginningOf(sent));
  }
  return {
    close: () => sent.destroy(),
    async *[Symbol.asyncIterator]() {
      const parser = new EventParser();
      sent.setEncoding('utf8');
      for await (const piece of sent as AsyncIterable<string>) yield* parser.push(piece);
    },
  };
}

async function beginningOf(response: IncomingMessage): Promise<string> {
  let text = '';
  for await (const piece of response.setEncoding('utf8') as AsyncIterable<string>) {
    text += piece;
    if (text.length > refusalBytes) break;
  }
  return text;
}
