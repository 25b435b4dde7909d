/**
 * Loads a server: each connection asks, reads the whole answer and asks again. Written on sockets, because a client that parses HTTP
 * in full would cost more than the servers it measures. A process of its own.
 */
import { connect, type Socket } from 'node:net';
import { answerParent } from './child.js';
import { chunkCount } from './server.js';

export interface Load {
  readonly port: number;
  /** `ask`: SendMessage and a GetTask of what it answered. `stream`: SendStreamingMessage to its end. */
  readonly kind: 'ask' | 'stream';
  readonly connections: number;
  readonly ms: number;
}

export interface Loaded {
  /** Answers read, each SendMessage and each GetTask one; for `stream`, whole streams. */
  readonly answers: number;
  readonly ms: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

const send = (method: string, text: string): string =>
  rpc(method, { message: { messageId: 'm1', role: 'ROLE_USER', parts: [{ text }] } });

function rpc(method: string, params: object): string {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const accept = method === 'SendStreamingMessage' ? 'text/event-stream' : 'application/json';
  return `POST / HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\naccept: ${accept}\r\na2a-version: 1.0\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

/** One connection, opened anew when the server closes it. */
class Line {
  readonly #port: number;
  #socket: Socket | undefined;
  #text = '';
  #isWhole: (text: string) => boolean = () => false;
  #settle: ((text: string) => void) | undefined;

  constructor(port: number) {
    this.#port = port;
  }

  ask(request: string, isWhole: (text: string) => boolean): Promise<string> {
    if (this.#socket === undefined) this.#open();
    this.#text = '';
    this.#isWhole = isWhole;
    const answer = new Promise<string>((resolve) => {
      this.#settle = resolve;
    });
    this.#socket!.write(request);
    return answer;
  }

  close(): void {
    this.#socket?.destroy();
  }

  #open(): void {
    const socket = connect(this.#port, '127.0.0.1').setNoDelay().setEncoding('latin1');
    this.#socket = socket;
    socket.on('data', (text: string) => {
      this.#text += text;
      if (this.#isWhole(this.#text)) this.#done();
    });
    const gone = (): void => {
      if (this.#socket !== socket) return;
      this.#socket = undefined;
      this.#done();
    };
    socket.on('error', gone).on('close', gone);
  }

  #done(): void {
    if (/^connection: close\r$/im.test(this.#text.slice(0, 400))) {
      this.#socket?.destroy();
      this.#socket = undefined;
    }
    const settle = this.#settle;
    this.#settle = undefined;
    settle?.(this.#text);
  }
}

function isWholeAnswer(text: string): boolean {
  const bodyAt = text.indexOf('\r\n\r\n') + 4;
  if (bodyAt === 3) return false;
  const length = /\r\ncontent-length: (\d+)/i.exec(text)?.[1];
  return length === undefined ? text.endsWith('\r\n0\r\n\r\n') : text.length - bodyAt >= Number(length);
}

const isWholeStream = (text: string): boolean => text.endsWith('\r\n0\r\n\r\n');

async function askOn(line: Line, tell: (ms: number) => void): Promise<void> {
  const timed = async (request: string): Promise<string> => {
    const startedMs = performance.now();
    const text = await line.ask(request, isWholeAnswer);
    tell(performance.now() - startedMs);
    if (!text.includes('TASK_STATE_COMPLETED')) throw new Error(`not a completed task: ${text}`);
    return text;
  };
  const sent = await timed(send('SendMessage', 'hello'));
  const [, id] = /"task":\{"id":"([^"]+)"/.exec(sent) ?? [];
  await timed(rpc('GetTask', { id }));
}

async function streamOn(line: Line, tell: (ms: number) => void): Promise<void> {
  const startedMs = performance.now();
  const text = await line.ask(send('SendStreamingMessage', 'stream'), isWholeStream);
  tell(performance.now() - startedMs);
  const frames = text.split('"artifactUpdate"').length - 1;
  if (frames < chunkCount) throw new Error(`${frames} frames of ${chunkCount}: ${text.slice(-400)}`);
}

async function load({ port, kind, connections, ms }: Load): Promise<Loaded> {
  const times: number[] = [];
  const lines = Array.from({ length: connections }, () => new Line(port));
  const startedMs = performance.now();
  const untilMs = startedMs + ms;
  const tell = (took: number): void => void times.push(took);
  await Promise.all(
    lines.map(async (line) => {
      while (performance.now() < untilMs) await (kind === 'ask' ? askOn : streamOn)(line, tell);
      line.close();
    }),
  );
  const tookMs = performance.now() - startedMs;
  times.sort((a, b) => a - b);
  const quantile = (share: number): number => times[Math.floor((times.length - 1) * share)]!;
  return { answers: times.length, ms: tookMs, p50Ms: quantile(0.5), p99Ms: quantile(0.99) };
}

answerParent(load);
process.send!('ready');
