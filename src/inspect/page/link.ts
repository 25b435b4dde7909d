/** The websocket to whoever served this page. Frames come in, nothing goes out. Reconnects for as long as more can come. */
export type LinkState = 'connecting' | 'open' | 'closed';

const subprotocol = 'mur.inspect.v1';
const firstRetryMs = 500;
const lastRetryMs = 8_000;

export interface LinkEvents {
  /** Whatever came, in so many characters. */
  frames(frames: readonly unknown[], chars: number): void;
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
      const text = String(data);
      events.frames(parse(text), text.length);
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

/** A message of a hub is shorter, and so are its texts (src/inspect/limits.ts, redact.ts). Others are cut, so that they can be shown. */
const longMessage = 300_000;
const longText = 65_536;

/** What is in a message. Not known to be frames. */
function parse(data: string): unknown[] {
  try {
    const value: unknown = JSON.parse(data, data.length > longMessage ? shorter : undefined);
    return Array.isArray(value) ? value : [value];
  } catch {
    return [data];
  }
}

function shorter(_key: string, value: unknown): unknown {
  if (typeof value !== 'string' || value.length <= longText) return value;
  return `${value.slice(0, longText)}… (${value.length - longText} characters left out)`;
}
