import type { WarningCode } from '../errors/index.js';
import type { ContainmentClass } from '../manifest/index.js';
import type { CapabilityPolicy } from '../policy/index.js';
import { sessionResources } from '../resources/limits.js';

/**
 * V8 reserves 10 GiB of addresses around a WebAssembly memory, and the HTTP parser of `fetch` is WebAssembly. Measured on Node 20, x64:
 * one `fetch` fails with 10.5 GiB of RLIMIT_AS and works with 11.
 */
const wasmAddressBytes = 11 * 1024 ** 3;

/** `W-SEC-907` where `node` is allowed and WebAssembly in it finds no room. */
export function addressSpaceWarnings(
  policy: Pick<CapabilityPolicy, 'shellAllow' | 'resources' | 'declaredResources'>,
  floor: ContainmentClass,
): readonly { readonly code: WarningCode; readonly message: string }[] {
  const { memoryBytes } = sessionResources(policy, floor);
  if (!policy.shellAllow.includes('node') || memoryBytes === undefined || memoryBytes >= wasmAddressBytes) return [];
  return [
    {
      code: 'W-SEC-907',
      message:
        `'node' may use ${memoryBytes} bytes of addresses (capabilities.resources.memory_bytes), so its fetch will fail: WebAssembly in ` +
        `it needs ${wasmAddressBytes}, nearly all of it reserved and never used; raise memory_bytes, and let cgroup_memory_bytes bound what is used`,
    },
  ];
}
