/** A 64-bit ELF file with just the parts a loader reads: program headers, a loader's path, a dynamic table and its texts. */
export function craftElf(parts: {
  readonly machine?: number;
  readonly interpreter?: string;
  readonly needed?: readonly string[];
  readonly rpath?: string;
  readonly runpath?: string;
  readonly symbols?: readonly string[];
  readonly big?: boolean;
}): Uint8Array {
  const little = parts.big !== true;
  const texts = ['', ...(parts.needed ?? []), parts.rpath ?? '', parts.runpath ?? '', ...(parts.symbols ?? [])];
  const indexOf = (text: string) => Buffer.from(`${texts.slice(0, texts.indexOf(text)).join('\0')}`).length + 1;
  const strings = Buffer.from(`${texts.join('\0')}\0`);
  const interpreter = Buffer.from(parts.interpreter === undefined ? '' : `${parts.interpreter}\0`);
  const base = 0x40_0000;
  const headers = 64 + 3 * 56;
  const stringsAt = headers + interpreter.length;
  const dynamicAt = stringsAt + strings.length;
  const dynamic: [number, number][] = [
    ...(parts.needed ?? []).map((text): [number, number] => [1, indexOf(text)]),
    ...(parts.rpath === undefined ? [] : ([[15, indexOf(parts.rpath)]] as [number, number][])),
    ...(parts.runpath === undefined ? [] : ([[29, indexOf(parts.runpath)]] as [number, number][])),
    [5, base + stringsAt],
    [10, strings.length],
    [0, 0],
  ];
  const size = dynamicAt + dynamic.length * 16;
  const bytes = new Uint8Array(size);
  const view = new DataView(bytes.buffer);
  const put64 = (at: number, value: number) => view.setBigUint64(at, BigInt(value), little);
  bytes.set([0x7f, 0x45, 0x4c, 0x46, 2, little ? 1 : 2, 1]);
  view.setUint16(16, 3, little);
  view.setUint16(18, parts.machine ?? 62, little);
  put64(32, 64);
  view.setUint16(54, 56, little);
  view.setUint16(56, 3, little);
  const segment = (index: number, type: number, offset: number, length: number) => {
    const at = 64 + index * 56;
    view.setUint32(at, type, little);
    put64(at + 8, offset);
    put64(at + 16, base + offset);
    put64(at + 32, length);
  };
  segment(0, 1, 0, size);
  segment(1, 2, dynamicAt, dynamic.length * 16);
  if (interpreter.length > 0) segment(2, 3, headers, interpreter.length);
  bytes.set(interpreter, headers);
  bytes.set(strings, stringsAt);
  for (const [index, [tag, value]] of dynamic.entries()) {
    put64(dynamicAt + index * 16, tag);
    put64(dynamicAt + index * 16 + 8, value);
  }
  return bytes;
}
