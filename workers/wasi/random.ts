import { randomBytes } from 'node:crypto';

/** One call may not make this thread allocate more; a guest that needs more asks again. */
const mostBytes = 1024 * 1024;

/** `wasi:random`. The insecure variants give the same cryptographic bytes: they are cheap enough. */
export function randomImports(): Record<string, Record<string, unknown>> {
  return {
    'wasi:random/random': { getRandomBytes: bytes, getRandomU64: u64 },
    'wasi:random/insecure': { getInsecureRandomBytes: bytes, getInsecureRandomU64: u64 },
    'wasi:random/insecure-seed': { insecureSeed: () => [u64(), u64()] },
  };
}

function bytes(length: bigint): Uint8Array {
  if (length > BigInt(mostBytes)) {
    throw new Error(`wasi:random: ${length} bytes asked for in one call, the most is ${mostBytes}`);
  }
  return randomBytes(Number(length));
}

function u64(): bigint {
  return randomBytes(8).readBigUInt64LE();
}
