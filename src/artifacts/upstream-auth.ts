import { kindOf } from '../manifest/shape.js';
import type { UpstreamAuth } from './types.js';

/** Headers that belong to the connection or the page, never to a key (spec/artifacts.md section 2.3). */
const reservedHeaders = new Set(
  'host origin referer cookie connection content-length content-type content-encoding expect keep-alive te trailer transfer-encoding upgrade'.split(
    ' ',
  ),
);

/** The usable `upstream_auth:` of an artifact, or why the declared one is not. Neither when nothing is declared. */
export function readUpstreamAuth(root: Readonly<Record<string, unknown>>): {
  readonly auth?: UpstreamAuth;
  readonly problem?: string;
} {
  const declared = root.upstream_auth;
  if (root.inference_auth !== undefined) return { problem: "'inference_auth' was renamed to 'upstream_auth'" };
  if (declared === undefined || declared === null) return {};
  if (kindOf(declared) !== 'mapping') return { problem: 'expected a mapping with header and value' };
  const { header, value } = declared as Readonly<Record<string, unknown>>;
  if (typeof header !== 'string' || header === '') return { problem: 'header is missing' };
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(header)) return { problem: `'${header}' is no header name` };
  if (reservedHeaders.has(header.toLowerCase())) return { problem: `header '${header}' cannot carry a key` };
  if (typeof value !== 'string') return { problem: 'value is missing' };
  if (value.split('{key}').length !== 2) return { problem: 'value must contain {key} exactly once' };
  if (/[\0-\x1f\x7f]/.test(value)) return { problem: 'value must not contain control characters' };
  return { auth: { header, value } };
}
