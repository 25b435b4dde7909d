import { type NetworkTarget, parseTarget } from '../policy/index.js';
import { shorten } from '../text/index.js';

/** Where a guest wants its message to go. */
export interface PeerAddress {
  readonly target: NetworkTarget;
  /** The path it named, with the query; `/` when it named none. */
  readonly path: string;
  /** Its own text, for messages. */
  readonly text: string;
}

const longestUrl = 2048;

/** The peer behind `url`: `host:port`, or an `http` or `https` URL. Throws `invalid peer URL '<url>'` (spec/spend.md section 5) for anything else. */
export function parsePeerUrl(url: string): PeerAddress {
  const [, written = 'http', rest = ''] = /^(?:([a-z][a-z0-9+.-]*):\/\/)?(.*)$/is.exec(url) ?? [];
  const scheme = written.toLowerCase();
  const authority = rest.split(/[/\\?#]/, 1)[0]!;
  const target = url.length > longestUrl ? undefined : parseTarget(scheme, authority);
  if (target === undefined || !URL.canParse(`${scheme}://${rest}`)) {
    throw new Error(`invalid peer URL '${shorten(url, 200)}'`);
  }
  const { pathname, search } = new URL(`${scheme}://${rest}`);
  return { target, path: `${pathname}${search}`, text: url };
}
