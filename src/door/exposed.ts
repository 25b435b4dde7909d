import { isIPv4 } from 'node:net';

/** True when other machines may reach a door bound to `bindAddr`; then an open door deserves `W-SEC-032`. */
export function isExposed(bindAddr: string): boolean {
  const address = bindAddr.toLowerCase();
  if (address === 'localhost' || address === '::1') return false;
  return !(isIPv4(address) && address.startsWith('127.'));
}
