import type { HttpErrorCode, PlainHttpErrorTag } from '../../../workers/wasi/http/messages.js';

/** Code of the error with which a lookup refuses: every address of the name is private and no rule permits that. */
export const privateAddressCode = 'ERR_MUR_PRIVATE_ADDRESS';

const byCode: Readonly<Record<string, PlainHttpErrorTag>> = {
  [privateAddressCode]: 'destination-IP-prohibited',
  ECONNREFUSED: 'connection-refused',
  ECONNRESET: 'connection-terminated',
  EPIPE: 'connection-terminated',
  ETIMEDOUT: 'connection-timeout',
  EHOSTUNREACH: 'destination-unavailable',
  EHOSTDOWN: 'destination-unavailable',
  ENETUNREACH: 'destination-IP-unroutable',
  EADDRNOTAVAIL: 'destination-IP-unroutable',
  EMFILE: 'connection-limit-reached',
  ENFILE: 'connection-limit-reached',
  EPROTO: 'TLS-protocol-error',
  ERR_UNESCAPED_CHARACTERS: 'HTTP-request-URI-invalid',
  ERR_INVALID_HTTP_TOKEN: 'HTTP-request-method-invalid',
  ERR_INVALID_CHAR: 'configuration-error',
};

/** OpenSSL's verification results, as Node spells them, and Node's own host name check. */
const certificate =
  /CERT|^UNABLE_TO_|^SELF_SIGNED|^DEPTH_ZERO|^CRL_|^HOSTNAME_MISMATCH$|^INVALID_CA$|^PATH_LENGTH_EXCEEDED$|^INVALID_PURPOSE$/;

/**
 * What the guest sees for a failed connection or exchange. Only the code of the error is passed on, never its message: messages may
 * hold addresses, and code is enough to act on.
 */
export function httpErrorOf(thrown: unknown): HttpErrorCode {
  const code = codeOf(thrown);
  const known = byCode[code];
  if (known !== undefined) return { tag: known };
  if (code === 'ENOTFOUND' || code.startsWith('EAI_')) return { tag: 'DNS-error', val: { rcode: code } };
  if (code === 'HPE_HEADER_OVERFLOW') return { tag: 'HTTP-response-header-section-size', val: undefined };
  if (code.startsWith('HPE_')) return { tag: 'HTTP-protocol-error' };
  if (certificate.test(code)) return { tag: 'TLS-certificate-error' };
  if (code.startsWith('ERR_SSL_') || code.startsWith('ERR_TLS_')) return { tag: 'TLS-protocol-error' };
  return { tag: 'internal-error', val: code === '' ? undefined : code };
}

/** The system code of an error; of the first one when several addresses were tried. */
function codeOf(thrown: unknown): string {
  if (thrown instanceof AggregateError && thrown.errors.length > 0) return codeOf(thrown.errors[0]);
  return thrown instanceof Error ? ((thrown as NodeJS.ErrnoException).code ?? '') : '';
}
