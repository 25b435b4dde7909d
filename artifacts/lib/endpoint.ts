/** Takes an endpoint URL apart; QuickJS has no URL class. */
import { DriverError } from './conversation.js';

export interface Target {
  readonly scheme: 'HTTP' | 'HTTPS';
  readonly authority: string;
  readonly path: string;
}

/** `url` as the parts WASI wants. Throws `DriverError` for anything but http(s)://host[:port][/path]. */
export function target(url: string): Target {
  const found = /^(https?):\/\/([^/?#@\s]+)(\/[^?#\s]*)?$/i.exec(url);
  if (!found) {
    const shown = url.includes('@') ? 'one with user information' : JSON.stringify(url);
    throw new DriverError(`the endpoint must be an http or https URL without query, fragment or user, got ${shown}`);
  }
  const [, scheme = '', authority = '', path = '/'] = found;
  return { scheme: scheme.toLowerCase() === 'https' ? 'HTTPS' : 'HTTP', authority, path };
}
