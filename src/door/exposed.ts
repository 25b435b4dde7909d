import { BlockList, isIP } from 'node:net';

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/** True when other machines may reach a door bound to `bindAddr`; then a door without authentication deserves `W-SEC-032`. */
export function isExposed(bindAddr: string): boolean {
  const family = isIP(bindAddr);
  if (family === 0) return bindAddr.toLowerCase() !== 'localhost';
  return !loopback.check(bindAddr, family === 4 ? 'ipv4' : 'ipv6');
}
