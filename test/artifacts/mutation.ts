import { crc32, deflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { expect } from 'vitest';
import { type Archive, openArchive } from '../../src/artifacts/index.js';
import { entryNameProblem } from '../../src/artifacts/zip/name.js';
import { isMurError } from '../../src/errors/index.js';
import { buildZip, extra, manifest, u32, u64, type ZipPart } from '../fixtures/zip/build.js';

/** What a damaged or forged archive may cost at most. */
const limits = { entryBytes: 4096, totalBytes: 16_384, entries: 50 };

const part = fc.record(
  {
    name: fc.oneof(
      fc.constantFrom(
        'a.wasm',
        'bin/tool',
        'skill.md',
        '..foo.txt',
        'x/',
        '/a',
        '../a',
        'A.WASM',
        'murmur.yaml',
        'a\\b',
      ),
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }),
    ),
    content: fc.uint8Array({ maxLength: 200 }),
    method: fc.constantFrom(0, 8),
    mode: fc.constantFrom(0, 0o100644, 0o100755, 0o120777, 0o40755),
    flags: fc.constantFrom(0x800, 0, 0x808, 0x801),
  },
  { requiredKeys: ['name', 'content', 'method'] },
);

/** A whole archive, in one of the forms that are read. */
const whole = fc
  .tuple(fc.array(part, { maxLength: 5 }), fc.boolean(), fc.boolean())
  .map(([parts, isLong, hasDescriptor]) => {
    const content = Buffer.from('described');
    const data = deflateRawSync(content);
    const described: ZipPart = {
      name: 'described',
      content,
      flags: 0x808,
      local: { crc32: 0, bytes: 0, packedBytes: 0 },
      descriptor: u32(0x08074b50, crc32(content), data.length, content.length),
    };
    const long: ZipPart = {
      name: 'long',
      content,
      bytes: 0xffffffff,
      packedBytes: 0xffffffff,
      extra: extra(1, u64(content.length, data.length)),
    };
    const all = [manifest, ...parts, ...(hasDescriptor ? [described] : []), ...(isLong ? [long] : [])];
    return buildZip(all, isLong ? { long: {} } : {});
  });

const place = fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true });

/** One thing done to the bytes of an archive. */
const mutation = fc.oneof(
  fc.record({ at: place, bit: fc.nat(7) }).map(({ at, bit }) => (zip: Buffer) => {
    const offset = Math.floor(at * zip.length);
    zip[offset] = zip[offset]! ^ (1 << bit);
    return zip;
  }),
  fc
    .record({
      at: place,
      value: fc.constantFrom(0, 1, 0xff, 0xffff, 0x7fffffff, 0xffffffff, 0x04034b50, 0x02014b50, 0x06054b50),
    })
    .map(({ at, value }) => (zip: Buffer) => {
      if (zip.length < 4) return zip;
      zip.writeUInt32LE(value, Math.floor(at * (zip.length - 3)));
      return zip;
    }),
  // The records at the end decide most, and are short.
  fc
    .record({ back: fc.nat(120), value: fc.constantFrom(0, 1, 2, 0x7f, 0xff) })
    .map(({ back, value }) => (zip: Buffer) => {
      if (back < zip.length) zip[zip.length - 1 - back] = value;
      return zip;
    }),
  place.map((at) => (zip: Buffer) => zip.subarray(0, Math.floor(at * zip.length))),
  place.map((at) => (zip: Buffer) => zip.subarray(Math.floor(at * zip.length))),
  fc.tuple(place, fc.uint8Array({ maxLength: 40 })).map(([at, bytes]) => (zip: Buffer) => {
    const offset = Math.floor(at * zip.length);
    return Buffer.concat([zip.subarray(0, offset), bytes, zip.subarray(offset)]);
  }),
  fc.tuple(place, place, place).map(([from, to, at]) => (zip: Buffer) => {
    const [start, end] = [from, to].map((where) => Math.floor(where * zip.length)).sort((a, b) => a - b);
    const offset = Math.floor(at * zip.length);
    return Buffer.concat([zip.subarray(0, offset), zip.subarray(start, end), zip.subarray(offset)]);
  }),
  fc.constant((zip: Buffer) => Buffer.concat([zip, zip])),
);

/**
 * Opens and reads `runs` archives that were damaged or forged at random. Each is refused with `E-IO-003`, or is an archive of
 * safe names and bounded content; never a raw error, and never a long wait. Tells how many were accepted.
 */
export async function readMutations(runs: number): Promise<{ readonly accepted: number; readonly slowestMs: number }> {
  let accepted = 0;
  let slowestMs = 0;
  const property = fc.asyncProperty(whole, fc.array(mutation, { maxLength: 4 }), async (zip, mutations) => {
    const bytes = mutations.reduce((changed, mutate) => mutate(Buffer.from(changed)), zip);
    const begun = performance.now();
    try {
      const archive = await openArchive(bytes, 'fuzz', limits);
      accepted += 1;
      await readAll(archive);
    } catch (error) {
      if (!isMurError(error)) throw error;
      expect(error.code).toBe('E-IO-003');
      expect(error.message).toMatch(/^failed to read artifact archive fuzz: .{3,400}$/su);
    }
    slowestMs = Math.max(slowestMs, performance.now() - begun);
  });
  await fc.assert(property, { numRuns: runs });
  return { accepted, slowestMs };
}

async function readAll(archive: Archive): Promise<void> {
  let total = 0;
  for (const name of archive.names) {
    expect(entryNameProblem(name)).toBeUndefined();
    const bytes = await archive.read(name);
    expect(bytes.length).toBeLessThanOrEqual(limits.entryBytes);
    total += bytes.length;
  }
  expect(total).toBeLessThanOrEqual(limits.totalBytes);
}
