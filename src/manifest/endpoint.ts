/**
 * Why `text` cannot be a gateway endpoint, with the value in a form that may be shown; `undefined` when it can
 * (spec/manifest.md section 5.2). A value with userinfo is never shown: it would print a password.
 */
export function endpointProblem(text: string): { readonly shown: string; readonly why: string } | undefined {
  const bad = (why: string) => ({ shown: `'${text}'`, why });
  if (text.includes('${')) return bad('must be written literally; it is not interpolated');
  const authority = /^[A-Za-z][A-Za-z0-9+.-]*:\/\/([^/?#]*)/.exec(text)?.[1];
  const at = authority?.lastIndexOf('@') ?? -1;
  if (authority !== undefined && at !== -1) {
    return { shown: `for host '${authority.slice(at + 1)}'`, why: "must not carry userinfo before '@'" };
  }
  if (text.includes('@')) return { shown: '(not shown)', why: "must not carry userinfo before '@'" };
  if (/[\s\\\0-\x1f\x7f]/.test(text) || !URL.canParse(text)) return bad('is not a valid URL');
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return bad('must use http or https');
  if (authority === undefined || authority === '') return bad('is not a valid URL');
  if (text.includes('?') || text.includes('#')) return bad('must not carry a query or fragment');
  if (url.protocol === 'http:' && !isLoopback(url.hostname)) {
    return bad('must use https; http is accepted only toward localhost or a loopback address');
  }
  return undefined;
}

/** `hostname` as the URL parser writes it, so `0x7f.1` is already `127.0.0.1` here. */
/** Whether a host name of a `URL` is this machine. */
export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}
