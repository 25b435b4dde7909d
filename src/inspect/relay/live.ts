import { WebSocket } from 'ws';
import { isExposed } from '../../door/exposed.js';
import { reasonOf } from '../../errors/index.js';
import { doorAddress } from '../../liveness/door-address.js';
import { type Frame, PROTOCOL } from '../frame.js';
import { decodeFrames } from './decode.js';
import type { Sink } from './sink.js';
import { livenessOf, type Target } from './target.js';

/** How often the verdict on a session is read anew. */
const verifyMs = 5_000;
const connectMs = 5_000;

/** How it went: to its end, or not at all, or until something came that no hub of ours sends. */
export type Passing =
  | { readonly kind: 'passed' }
  | { readonly kind: 'refused' }
  | { readonly kind: 'foreign'; readonly reason: string };

/**
 * Passes on what a session tells about itself, until it ends or nobody reads.
 *
 * A reader that is slow is waited for here, so the session's own hub sees a slow client and treats it as one: nothing piles up in
 * between. The one thing changed on the way is the verdict in `session` frames: that of this process, which reads all three layers,
 * where the session can only say that it is there.
 */
export async function passLive(target: Target, token: string, sink: Sink): Promise<Passing> {
  const address = target.record === undefined ? undefined : doorAddress(target.record.url);
  // A token goes to this machine only, whatever a record says.
  if (address === undefined || isExposed(address.host)) return { kind: 'refused' };
  const verdict = await verdictOf(target, sink);
  if (sink.signal.aborted) return { kind: 'passed' };
  // `localhost` may mean ::1 first, where the door does not listen.
  const host = address.host === 'localhost' ? '127.0.0.1' : address.host;
  const socket = new WebSocket(`ws://${host}:${address.port}/inspect`, [PROTOCOL], {
    headers: { authorization: `Bearer ${token}` },
    handshakeTimeout: connectMs,
    perMessageDeflate: false,
    maxPayload: 64 * 1024 * 1024,
  });
  return new Promise((resolve) => {
    let passing: Passing = { kind: 'refused' };
    let isGreeting = true;
    let last: (Frame & { readonly type: 'session' }) | undefined;
    const reverify = setInterval(async () => {
      await verdict.read();
      if (last !== undefined) sink.send([verdict.on(last)]);
    }, verifyMs);
    const leave = (): void => socket.terminate();
    sink.signal.addEventListener('abort', leave, { once: true });
    socket.on('open', () => {
      passing = { kind: 'passed' };
    });
    const take = (message: string): void => {
      const frames = decodeFrames(message, target.sessionId);
      // The greeting stands alone: the reader got one from this process.
      if (isGreeting) {
        isGreeting = false;
        if (frames[0]?.type !== 'hello' || frames.length > 1) throw new Error('it does not begin with a greeting');
      } else if (frames.some(({ type }) => type === 'session')) {
        last = frames.findLast((frame) => frame.type === 'session');
        sink.send(frames.map((frame) => (frame.type === 'session' ? verdict.on(frame) : frame)));
      } else sink.pass(message);
    };
    socket.on('message', (data) => {
      try {
        take(String(data));
      } catch (error) {
        passing = { kind: 'foreign', reason: reasonOf(error) };
        socket.removeAllListeners('message');
        socket.terminate();
        return;
      }
      socket.pause();
      void sink.ready().then(() => socket.resume());
    });
    // 'close' follows, and says all there is to say.
    socket.on('error', () => undefined);
    socket.on('close', () => {
      clearInterval(reverify);
      sink.signal.removeEventListener('abort', leave);
      resolve(passing);
    });
  });
}

/** The verdict of this process, kept up to date. */
async function verdictOf(target: Target, sink: Sink) {
  let liveness = await livenessOf(target);
  return {
    async read(): Promise<void> {
      if (!sink.signal.aborted) liveness = await livenessOf(target);
    },
    on: (frame: Frame & { readonly type: 'session' }) => (frame.ended === null ? { ...frame, liveness } : frame),
  };
}
