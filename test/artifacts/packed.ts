import { describeArchive, type PackEntry, type PackedArtifact, packArchive } from '../../src/artifacts/index.js';

/** The smallest component: it imports and exports nothing. */
export const component = new Uint8Array([0, 97, 115, 109, 13, 0, 1, 0]);

/** The first bytes of a program for a platform. */
export const program = {
  'linux-x86_64': elf(0x3e),
  'linux-aarch64': elf(0xb7),
  'darwin-x86_64': mach(0x01000007),
  'darwin-aarch64': mach(0x0100000c),
  darwin: Buffer.concat([Buffer.from([0xca, 0xfe, 0xba, 0xbe]), Buffer.alloc(60)]),
} as const;

function elf(machine: number): Buffer {
  const bytes = Buffer.alloc(64);
  bytes.set([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1]);
  bytes.writeUInt16LE(machine, 18);
  return bytes;
}

function mach(cpu: number): Buffer {
  const bytes = Buffer.alloc(64);
  bytes.writeUInt32LE(0xfeedfacf, 0);
  bytes.writeUInt32LE(cpu, 4);
  return bytes;
}

export interface Wanted {
  readonly name?: string;
  readonly version?: string;
  readonly runtime?: string;
  /** More lines of its manifest. */
  readonly manifest?: string;
  /** Instead of its payload. */
  readonly files?: Readonly<Record<string, Uint8Array | string>>;
}

/** The archive of an artifact: by default the tool `csv@1.0.0`. */
export function archiveOf(wanted: Wanted = {}): Promise<Uint8Array> {
  const { name = 'csv', version = '1.0.0', runtime = 'tool', manifest = '' } = wanted;
  const payload = runtime === 'skill' ? { 'skill.md': '# How' } : { 'tool.wasm': component };
  const files = {
    'murmur.yaml': `name: ${name}\nversion: "${version}"\nruntime: ${runtime}\n${manifest}`,
    ...(wanted.files ?? payload),
  };
  const entries: PackEntry[] = Object.entries(files).map(([file, bytes]) => ({
    name: file,
    bytes: Buffer.from(bytes),
  }));
  return packArchive(entries);
}

export async function artifactOf(wanted: Wanted = {}, platform?: string): Promise<PackedArtifact> {
  return describeArchive(await archiveOf(wanted), 'test archive', platform === undefined ? {} : { platform });
}

/** A native tool whose program is for `platform`. */
export function nativeOf(platform: keyof typeof program, wanted: Wanted = {}): Promise<PackedArtifact> {
  const name = wanted.name ?? 'csv';
  const files = { [`bin/${name.split('/').at(-1)}`]: program[platform] };
  return artifactOf({ ...wanted, manifest: `implementation: native\n${wanted.manifest ?? ''}`, files }, undefined);
}
