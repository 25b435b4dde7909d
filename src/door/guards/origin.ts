/**
 * True when no web page, or only a page this door served itself, can have sent the request. Browsers put `Origin` on
 * every POST and every websocket; programs leave it out. Any other origin is foreign: another port of this machine, an
 * address of the local network and `null` included (cases/reports row 33).
 *
 * Does not stop: a program on this machine; a browser old enough to leave `Origin` out.
 */
export function isOwnOrigin(origin: string | undefined, port: number): boolean {
  if (origin === undefined) return true;
  return ['localhost', '127.0.0.1', '[::1]'].some((name) => origin.toLowerCase() === `http://${name}:${port}`);
}
