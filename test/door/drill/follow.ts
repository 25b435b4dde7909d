/** A client of a real door: requests in each dialect, and streams read frame by frame. Not a test. */
import { type IncomingMessage, request } from 'node:http';
import { type Frame, parseFrame } from '../stream/client.js';

export type Speech = 'mur' | 'v03' | 'v1';
export const speeches: readonly Speech[] = ['mur', 'v03', 'v1'];

const words = {
  mur: { send: 'message/send', stream: 'message/stream', get: 'tasks/get', cancel: 'tasks/cancel', subscribe: '' },
  v03: {
    send: 'message/send',
    stream: 'message/stream',
    get: 'tasks/get',
    cancel: 'tasks/cancel',
    subscribe: 'tasks/resubscribe',
  },
  v1: {
    send: 'SendMessage',
    stream: 'SendStreamingMessage',
    get: 'GetTask',
    cancel: 'CancelTask',
    subscribe: 'SubscribeToTask',
  },
} as const;

/** A request as that dialect words it. `params` of a send: see `said`. */
export function asked(speech: Speech, what: keyof (typeof words)['v1'], params: object, id: string | number = 1) {
  return { jsonrpc: '2.0', id, method: words[speech][what], params };
}

/** The params of a send that answers at once. */
export function said(speech: Speech, text: string, more: Readonly<Record<string, unknown>> = {}) {
  const base = { messageId: `m-${text}`, ...more };
  if (speech === 'mur') return { message: { ...base, role: 'user', parts: [{ text }] } };
  if (speech === 'v03') {
    return { message: { ...base, kind: 'message', role: 'user', parts: [{ kind: 'text', text }] }, configuration: {} };
  }
  return { message: { ...base, role: 'ROLE_USER', parts: [{ text }] }, configuration: { returnImmediately: true } };
}

/** The state of a task in any dialect, in the words of the model. */
export function stateOf(task: { readonly status: { readonly state: string } }): string {
  return task.status.state
    .replace(/^TASK_STATE_/, '')
    .toLowerCase()
    .replace('_', '-');
}

function ask(port: number, body: object, headers: Record<string, string>) {
  const sent = request({
    host: '127.0.0.1',
    port,
    method: 'POST',
    agent: false,
    headers: { 'content-type': 'application/json', ...headers },
  });
  sent.end(JSON.stringify(body));
  return sent;
}

// biome-ignore lint/suspicious/noExplicitAny: replies are read freely in tests
export async function reply(port: number, body: object, headers: Record<string, string> = {}): Promise<any> {
  return new Promise((resolve, reject) => {
    ask(port, body, headers)
      .on('error', reject)
      .on('response', (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (chunk) => (text += chunk)).on('end', () => resolve(JSON.parse(text)));
      });
  });
}

/** One stream. Each frame is told at the moment it is read; `over` is all of them, once the stream has closed. */
export class Follower {
  readonly frames: Frame[] = [];
  readonly over: Promise<readonly Frame[]>;
  /** Resolves once the door has answered. */
  readonly begun: Promise<void>;
  /** How many frames with an id it has read, those it has forgotten included. */
  seen = 0;
  readonly #request;
  readonly #answer: Promise<IncomingMessage>;
  #text = '';

  constructor(
    port: number,
    body: object,
    headers: Record<string, string> = {},
    onFrame: (frame: Frame) => void = () => undefined,
  ) {
    this.#request = ask(port, body, { accept: 'text/event-stream', ...headers });
    this.#request.on('error', () => undefined);
    this.#answer = new Promise((resolve) => this.#request.once('response', resolve));
    this.begun = this.#answer.then(() => undefined);
    this.over = new Promise((resolve) => {
      this.#request.on('close', () => resolve(this.frames));
      this.#request.on('response', (response) => {
        response.setEncoding('utf8').on('error', () => undefined);
        response.on('data', (chunk: string) => {
          const blocks = (this.#text + chunk).split('\n\n');
          this.#text = blocks.pop()!;
          for (const block of blocks) {
            const frame = parseFrame(block);
            if (frame.comment !== undefined) continue;
            this.frames.push(frame);
            if (frame.id !== undefined) this.seen += 1;
            onFrame(frame);
          }
        });
      });
    });
  }

  /** Takes nothing more off the connection. */
  async pause(): Promise<void> {
    (await this.#answer).pause();
  }

  async resume(): Promise<void> {
    (await this.#answer).resume();
  }

  /** Lets go of what was read so far, for those who count memory. */
  forget(): void {
    this.frames.length = 0;
  }

  leave(): void {
    this.#request.destroy();
  }
}

/** What a frame says of a state, in any dialect; `undefined` when it is about something else. */
export function stateIn({
  event,
  data,
}: Frame): { readonly id: string; readonly state: string; readonly final?: boolean } | undefined {
  if (data === undefined) return undefined;
  if (event !== undefined) {
    return event === 'status' ? { id: data.id, state: data.status.state, final: data.final } : undefined;
  }
  const { result = {} } = data;
  const told = result.statusUpdate ?? (result.kind === 'status-update' ? result : undefined);
  return told === undefined ? undefined : { id: told.taskId, state: stateOf(told), final: told.final };
}
