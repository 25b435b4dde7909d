import { WebSocket } from 'ws';
import { isExposed } from '../../door/exposed.js';
import { doorAddress } from '../../liveness/door-address.js';
import { type Frame, PROTOCOL } from '../frame.js';
import type { Sink } from './sink.js';
import { livenessOf, type Target } from './target.js';

/** How often the verdict on a session is read anew. */
const verifyMs = 5_000;
const connectMs = 5_000;

/**
 * Passes on what a session tells about itself, until it ends or nobody reads. `false` when the session could not be asked.
 *
 * A reader that is slow is waited for here, so the session's own hub sees a slow client and treats it as one: nothing piles up in
 * between. The one thing changed on the way is the verdict in `session` frames: that of this process, which reads all three layers,
 * where the session can only say that it is there.
 */
export async function passLive(target: Target, token: string, sink: Sink): Promise<boolean> {
  const address = target.record === undefined ? undefined : doorAddress(target.record.url);
  // A token goes to this machine only, whatever a record says.
  if (address === undefined || isExposed(address.host)) return false;
  const verdict = await verdictOf(target, sink);
  if (sink.signal.aborted) return true;
  // `localhost` may mean ::1 first, where the door does not listen.
  const host = address.host === 'localhost' ? '127.0.0.1' : address.host;
  const socket = new WebSocket(`ws://${host}:${address.port}/inspect`, [PROTOCOL], {
    headers: { authorization: `Bearer ${token}` },
    handshakeTimeout: connectMs,
    perMessageDeflate: false,
    maxPayload: 64 * 1024 * 1024,
  });
  return new Promise((resolve) => {
    let isOpen = false;
    let isGreeting = true;
    let last: (Frame & { readonly type: 'session' }) | undefined;
    const reverify = setInterval(async () => {
      await verdict.read();
      if (last !== undefined) sink.send([verdict.on(last)]);
    }, verifyMs);
    const leave = (): void => socket.terminate();
    sink.signal.addEventListener('abort', leave, { once: true });
    socket.on('open', () => {
      isOpen = true;
    });
    socket.on('message', (data) => {
      const message = String(data);
      // The greeting stands alone: the reader got one from this process.
      if (isGreeting) {
        isGreeting = false;
        return;
      }
      if (message.includes('"type":"session"')) {
        const frames = (JSON.parse(message) as Frame[]).map((frame): Frame => {
          if (frame.type !== 'session') return frame;
          last = frame;
          return verdict.on(frame);
        });
        sink.send(frames);
      } else sink.pass(message);
      socket.pause();
      void sink.ready().then(() => socket.resume());
    });
    // 'close' follows, and says all there is to say.
    socket.on('error', () => undefined);
    socket.on('close', () => {
      clearInterval(reverify);
      sink.signal.removeEventListener('abort', leave);
      resolve(isOpen);
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
