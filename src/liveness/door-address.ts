/** Where a door is. */
export interface DoorAddress {
  /** Without the brackets of an IPv6 address. */
  readonly host: string;
  readonly port: number;
  /** As recorded, without a scheme. */
  readonly text: string;
}

const hostAndPort = /^(?:\[([0-9A-Fa-f:.]+)\]|([A-Za-z0-9._-]+)):(\d{1,5})$/;

/**
 * The address in a record's `url`; `undefined` when it is anything but `host:port`, with or without a scheme. A path, a user or
 * a query would send the probe, and a token with it, to something the session's door is not.
 */
export function doorAddress(url: string): DoorAddress | undefined {
  const text = url.replace(/^https?:\/\//, '');
  const [, bracketed, plain, port] = hostAndPort.exec(text) ?? [];
  const host = bracketed ?? plain;
  const number = Number(port);
  if (host === undefined || number < 1 || number > 0xffff) return undefined;
  return { host, port: number, text };
}
