/** Holds connections and streams open, and counts what comes in on them. A process of its own. */
import { connect, type Socket } from 'node:net';
import { answerParent } from './child.js';

export type Hold =
  /** Opens so many, each with one request answered, or with a stream that has begun. */
  | { readonly kind: 'connections' | 'streams'; readonly port: number; readonly count: number }
  /** Waits until every stream was told that a task is over, and tells what came. */
  | { readonly kind: 'ends' }
  | { readonly kind: 'release' };

export interface Held {
  readonly frames: number;
  /** Frames that say that others were lost. */
  readonly lags: number;
}

const sockets: Socket[] = [];
let frames = 0;
let lags = 0;
let ended = 0;
let wake: () => void = () => undefined;

function requestOf(kind: 'connections' | 'streams'): string {
  if (kind === 'connections') return 'GET /.well-known/agent-card.json HTTP/1.1\r\nhost: localhost\r\n\r\n';
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'stream/watch' });
  return `POST / HTTP/1.1\r\nhost: localhost\r\naccept: text/event-stream\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
}

async function hold(question: Hold): Promise<Held> {
  if (question.kind === 'release') for (const socket of sockets.splice(0)) socket.destroy();
  else if (question.kind === 'ends') while (ended < sockets.length) await new Promise<void>((done) => (wake = done));
  else for (let at = 0; at < question.count; at += 1) await open(question.port, requestOf(question.kind));
  return { frames, lags };
}

async function open(port: number, request: string): Promise<void> {
  const socket = connect(port, '127.0.0.1').setEncoding('latin1');
  sockets.push(socket);
  await new Promise<void>((begun, failed) => {
    socket.on('error', failed).on('data', (text: string) => {
      frames += text.split('\ndata: ').length - 1;
      lags += text.split('event: lagged').length - 1;
      if (text.includes('"final":true}\n') && text.includes('event: status')) ended += 1;
      wake();
      begun();
    });
    socket.write(request);
  });
}

answerParent(hold);
process.send!('ready');
