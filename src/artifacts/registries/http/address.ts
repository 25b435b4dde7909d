/** Which addresses may be asked, and where an answer may send us. Pure. */
import { MurError } from '../../../errors/index.js';
import { isLoopback } from '../../../manifest/endpoint.js';
import { NoAnswer, serverText } from './failure.js';

/**
 * The base address a person wrote, without trailing slashes. Only http and https, no user or password: a key has its own variable, and
 * an address ends up in messages. `what` names where it was written.
 */
export function baseAddress(text: string, what: string): URL {
  const refuse = (why: string) => new MurError('E-IO-003', `invalid ${what} (expected an http or https URL): ${why}`);
  if (!URL.canParse(text)) throw refuse(`'${serverText(text)}' is no URL`);
  const url = new URL(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw refuse(`the scheme is '${url.protocol.slice(0, -1)}'`);
  if (url.username !== '' || url.password !== '') throw refuse('it holds a user name or a password');
  url.hash = '';
  url.pathname = url.pathname.replace(/\/+$/, '');
  return url;
}

/** Refuses (`E-IO-003`) to send NEXUS_API_KEY where everybody on the way can read it. */
export function refuseOpenKey(base: URL): void {
  if (base.protocol === 'https:' || isLoopback(base.hostname)) return;
  throw new MurError(
    'E-IO-003',
    `NEXUS_API_KEY is not sent over http to ${base.host}: everybody on the way could read it`,
    {
      hint: `write https://${base.host}, or use a registry on this machine`,
    },
  );
}

/** `base` with further path segments, each encoded, and a query. A segment that would climb is a bug of the caller. */
export function below(base: URL, segments: readonly string[], query: readonly (readonly [string, string])[] = []): URL {
  const url = new URL(base);
  for (const segment of segments) {
    if (segment === '' || segment === '.' || segment === '..') throw new TypeError(`'${segment}' is no path segment`);
  }
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/${segments.map(encodeURIComponent).join('/')}`;
  for (const [name, value] of query) url.searchParams.append(name, value);
  return url;
}

const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/**
 * Where an answer sends us; `undefined` when it does not. A redirect never lowers https to http and never leads to another scheme. A
 * request with a body follows only to its own origin, and only where the method is kept (RFC 9110 section 15.4).
 */
export function redirectTarget(method: string, from: URL, status: number, location?: string): URL | undefined {
  if (!redirects.has(status) || location === undefined) return undefined;
  if (!URL.canParse(location, from.href)) throw new NoAnswer('redirected to an address that cannot be read');
  const to = new URL(location, from);
  if (to.protocol !== from.protocol && !(from.protocol === 'http:' && to.protocol === 'https:')) {
    throw new NoAnswer(`redirected from ${from.protocol.slice(0, -1)} to ${serverText(to.protocol.slice(0, -1))}`);
  }
  if (to.username !== '' || to.password !== '') throw new NoAnswer('redirected to an address with a user or password');
  if (method !== 'GET' && (to.origin !== from.origin || status < 307)) {
    throw new NoAnswer(`redirected a ${method} with status ${status} to ${to.origin}`);
  }
  return to;
}
