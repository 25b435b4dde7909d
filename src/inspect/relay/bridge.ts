import { once } from 'node:events';
import { WebSocket } from 'ws';
import { limits } from '../limits.js';
import { statelyMessage } from '../stately.js';
import { type RelayOptions, relay } from './index.js';
import { frameSink } from './sink.js';

/**
 * Sends the charts of sessions to a relay of @statelyai/inspect, as its own clients do. Resolves when all sessions have ended, the
 * relay closed the connection, or `signal` aborts. Rejects when it cannot be reached.
 *
 * Does not hold: that relay checks nobody. Whoever reaches it sees what is sent, redacted as for the page.
 */
export async function bridge(
  options: RelayOptions,
  url: string,
  signal: AbortSignal,
  connected: () => void = () => undefined,
): Promise<void> {
  const socket = new WebSocket(url, { handshakeTimeout: 5_000, perMessageDeflate: false });
  await once(socket, 'open');
  connected();
  const ended = new AbortController();
  const end = (): void => ended.abort();
  socket.on('close', end);
  socket.on('error', end);
  signal.addEventListener('abort', end, { once: true });
  const sink = frameSink(
    ended.signal,
    (frame) => {
      const message = statelyMessage(frame);
      if (message !== undefined && socket.readyState === WebSocket.OPEN) socket.send(message);
    },
    () => socket.bufferedAmount > limits.socketBytes,
  );
  try {
    await relay(options, sink);
  } finally {
    signal.removeEventListener('abort', end);
    socket.close();
  }
}
