/**
 * True for `application/json`, whatever parameters follow. A form on a web page can only send the simple types, so this
 * refuses it a second time.
 */
export function isJson(contentType = ''): boolean {
  return /^application\/json\s*(;|$)/i.test(contentType.trim());
}

/** True for the types a body of the HTTP+JSON binding may have. */
export function isA2aJson(contentType = ''): boolean {
  return isJson(contentType) || /^application\/a2a\+json\s*(;|$)/i.test(contentType.trim());
}
