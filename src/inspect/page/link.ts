/** The websocket to whoever served this page. Frames come in, nothing goes out. Reconnects for as long as more can come. */
import type { Frame } from '../frame.js';

export type LinkState = 'connecting' | 'open' | 'closed';

const subprotocol = 'mur.inspect.v1';
const firstRetryMs = 500;
const lastRetryMs = 8_000;

export interface LinkEvents {
  frames(frames: readonly Frame[]): void;
  state(state: LinkState): void;
  /** Whether to try again after the connection ended. */
  isWorthIt(): boolean;
}

export function connect(events: LinkEvents): void {
  let retryMs = firstRetryMs;
  const open = (): void => {
    events.state('connecting');
    const url = new URL('/inspect', location.href);
    url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
    const socket = new WebSocket(url, subprotocol);
    socket.onopen = () => {
      retryMs = firstRetryMs;
      events.state('open');
    };
    socket.onmessage = ({ data }) => {
      const frames = parse(data);
      if (frames.length > 0) events.frames(frames);
    };
    socket.onclose = () => {
      events.state('closed');
      if (!events.isWorthIt()) return;
      setTimeout(open, retryMs);
      retryMs = Math.min(lastRetryMs, retryMs * 2);
    };
  };
  open();
}

/** The frames in a message; what is not one is left out. */
function parse(data: unknown): Frame[] {
  if (typeof data !== 'string') return [];
  try {
    const value: unknown = JSON.parse(data);
    return (Array.isArray(value) ? value : [value]).filter((frame) => typeof frame?.type === 'string');
  } catch {
    return [];
  }
}
