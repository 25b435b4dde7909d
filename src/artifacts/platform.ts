import { MurError } from '../errors/index.js';

/** Platforms that a native artifact can be packed for (spec/artifacts.md section 3). */
export const platforms = ['linux-x86_64', 'linux-aarch64', 'darwin-x86_64', 'darwin-aarch64'] as const;

/** The platform word of artifact files: `linux-x86_64`, `darwin-aarch64`, else `unknown` (spec/artifacts.md section 3). */
export function hostPlatform(platform: string = process.platform, arch: string = process.arch): string {
  const cpu = { x64: 'x86_64', arm64: 'aarch64' }[arch];
  return (platform === 'linux' || platform === 'darwin') && cpu !== undefined ? `${platform}-${cpu}` : 'unknown';
}

/**
 * The platform a program was built for, from its first bytes: ELF64 by `e_machine`, Mach-O 64 by `cputype`, and `darwin` for a fat
 * Mach-O, which may hold any. `undefined` for every other format, which proves nothing (spec/artifacts.md section 5.3).
 *
 * Does not stop: a fat binary without this host's half; a Linux program linked against a C library this host does not have.
 */
export function nativePlatformOf(bytes: Uint8Array): (typeof platforms)[number] | 'darwin' | undefined {
  if (bytes.byteLength < 20) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const magic = view.getUint32(0, false);
  if (magic === 0x7f454c46) return elfPlatform(view);
  if (magic === 0xcafebabe || magic === 0xcafebabf) return 'darwin';
  if (magic === 0xcffaedfe) return machPlatform(view.getUint32(4, true));
  return undefined;
}

function elfPlatform(view: DataView): (typeof platforms)[number] | undefined {
  const is64 = view.getUint8(4) === 2;
  const isLittleEndian = view.getUint8(5) === 1;
  if (!is64) return undefined;
  const machine = view.getUint16(18, isLittleEndian);
  if (machine === 0x3e) return 'linux-x86_64';
  return machine === 0xb7 ? 'linux-aarch64' : undefined;
}

function machPlatform(cpuType: number): (typeof platforms)[number] | undefined {
  if (cpuType === 0x01000007) return 'darwin-x86_64';
  return cpuType === 0x0100000c ? 'darwin-aarch64' : undefined;
}

/**
 * Refuses (`E-RUN-021`) a program that was `built` for another platform than `wanted`. One whose format is not known, and a host
 * that is none of ours, are let through.
 */
export function checkPlatform(label: string, built: ReturnType<typeof nativePlatformOf>, wanted: string): void {
  if (built === undefined || wanted === 'unknown' || built === wanted) return;
  if (built === 'darwin' && wanted.startsWith('darwin-')) return;
  throw new MurError('E-RUN-021', `native artifact '${label}' was built for ${built}, not for ${wanted}`, {
    hint: `get the artifact's ${wanted} variant, or build it there`,
  });
}
