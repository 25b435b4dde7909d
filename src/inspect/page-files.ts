import { readdirSync, readFileSync } from 'node:fs';
import { packageRoot } from '../version.js';

/** Where `npm run build` puts the page. */
const builtPage = new URL('dist/inspect-page/', packageRoot);

const types: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  woff2: 'font/woff2',
};

/** Only what the page brings along: no other address, no frame around it, no text of a session that becomes a script. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const pageHeaders: Readonly<Record<string, string>> = {
  'content-security-policy': policy,
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
};

/** A whole HTTP answer. */
export interface Reply {
  readonly status: number;
  readonly body: Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * One file of the built page; `index.html` for `''`. Names are looked up in the folder's listing, so no path of a client ever
 * reaches the file system.
 */
export function pageFile(name: string, folder = builtPage): Reply {
  const file = name === '' ? 'index.html' : name;
  const type = types[file.slice(file.lastIndexOf('.') + 1)];
  const files = listed(folder);
  if (files.length === 0) return textReply(503, 'the page is not built: run `npm run build`');
  if (type === undefined || !files.includes(file)) return textReply(404, 'not a part of this page');
  return { status: 200, body: readFileSync(new URL(file, folder)), headers: { ...pageHeaders, 'content-type': type } };
}

function listed(folder: URL): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

export function textReply(status: number, message: string, headers: Readonly<Record<string, string>> = {}): Reply {
  return {
    status,
    body: Buffer.from(`${message}\n`),
    headers: { ...pageHeaders, 'content-type': 'text/plain; charset=utf-8', ...headers },
  };
}
