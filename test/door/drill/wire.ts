/** Puts bytes on a connection and judges what comes back: is each answer a proper one? Not a test. */
import { connect } from 'node:net';
import type { Attack } from './requests.js';

export interface Verdict {
  /** In words for a count: `silence`, `400`, `-32602`, `result`, `stream`. */
  readonly outcomes: readonly string[];
  /** What no door may say; absent when all was proper. */
  readonly fault?: string;
}

/** Sends one attack and reads until the door has closed the connection. A stream is left after its first bytes. */
export async function attack(port: number, { pieces, leaves }: Attack): Promise<Verdict> {
  const bytes = await new Promise<Buffer>((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    const got: Buffer[] = [];
    socket.on('data', (chunk) => {
      got.push(chunk);
      if (isStream(got)) socket.destroy();
    });
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(Buffer.concat(got)));
    const write = (at: number) => {
      if (socket.destroyed) return;
      if (at === pieces.length) {
        if (leaves) socket.destroy();
        else socket.end();
        return;
      }
      socket.write(pieces[at]!);
      setImmediate(write, at + 1);
    };
    socket.on('connect', () => write(0));
  });
  return judge(bytes.toString('utf8'));
}

function isStream(got: readonly Buffer[]): boolean {
  const text = Buffer.concat(got).toString('latin1');
  return /^content-type: text\/event-stream/im.test(text) && text.includes('\n\n');
}

/** Every answer in `text`, judged. */
export function judge(text: string): Verdict {
  const outcomes: string[] = [];
  let rest = Buffer.from(text);
  while (rest.length > 0) {
    const end = rest.indexOf('\r\n\r\n');
    if (end === -1) return { outcomes, fault: `no whole head: ${rest.subarray(0, 300)}` };
    const head = rest.subarray(0, end).toString();
    rest = rest.subarray(end + 4);
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(head)?.[1]);
    if (status === 100) continue;
    // 501 is what HTTP has for a method or coding nobody knows; anything else of that hundred is a door that broke.
    if (!(status === 200 || (status >= 400 && status < 500))) return { outcomes, fault: head };
    if (/^content-type: text\/event-stream/im.test(head)) return { outcomes: [...outcomes, 'stream'] };
    // An empty body, as Node writes it for the refusals that are its own.
    const isChunked = /^transfer-encoding: chunked$/im.test(head);
    // What HEAD is answered with tells of a body and has none: the next answer follows, or nothing.
    const isHead = rest.subarray(0, 9).toString() === 'HTTP/1.1 ';
    const length = isHead ? 0 : isChunked ? 5 : Number(/^content-length: (\d+)$/im.exec(head)?.[1] ?? 0);
    const body = isChunked ? '' : rest.subarray(0, length).toString();
    rest = rest.subarray(length);
    const said = status === 200 && body !== '' ? reading(body) : { outcome: String(status) };
    if ('fault' in said) return { outcomes, fault: `${said.fault}: ${head}\n${body.slice(0, 300)}` };
    outcomes.push(said.outcome);
  }
  return { outcomes: outcomes.length === 0 ? ['silence'] : outcomes };
}

function reading(body: string): { outcome: string } | { fault: string } {
  let reply: Record<string, unknown>;
  try {
    reply = JSON.parse(body);
  } catch {
    return { fault: 'no JSON' };
  }
  if (reply.jsonrpc === undefined) return { outcome: 'json' };
  const { error } = reply as { error?: { code?: unknown; message?: unknown } };
  if (reply.jsonrpc !== '2.0' || !('id' in reply) || 'result' in reply === 'error' in reply)
    return { fault: 'no JSON-RPC' };
  if (error === undefined) return { outcome: 'result' };
  if (!Number.isInteger(error.code) || typeof error.message !== 'string') return { fault: 'no JSON-RPC error' };
  // No request of these is beyond us: this one would be a bug.
  if (error.code === -32603) return { fault: 'an internal error' };
  return { outcome: String(error.code) };
}
