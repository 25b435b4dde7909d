import { createHash } from 'node:crypto';
import { crc32, deflateRawSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { archiveLimits, archiveText } from '../../src/artifacts/archive.js';
import { type Archive, openArchive, packArchive } from '../../src/artifacts/index.js';
import { isMurError } from '../../src/errors/index.js';
import { buildZip, extra, manifest, u16, u32, u64, type ZipFrame, type ZipPart } from '../fixtures/zip/build.js';

const open = (parts: readonly ZipPart[], frame?: ZipFrame): Promise<Archive> =>
  openArchive(buildZip([manifest, ...parts], frame), 'x.mur.zip');

/** The refusal without the part all of them share. */
async function refusal(work: Promise<unknown>): Promise<string> {
  try {
    await work;
  } catch (error) {
    if (!isMurError(error)) throw error;
    expect(error.code).toBe('E-IO-003');
    expect(error.message).toMatch(/^failed to read artifact archive x\.mur\.zip: /);
    return error.message.replace('failed to read artifact archive x.mur.zip: ', '');
  }
  return 'accepted';
}

const text = async (archive: Archive, name: string): Promise<string> =>
  Buffer.from(await archive.read(name)).toString();

const small = { entryBytes: 1000, totalBytes: 1500, entries: 5 };

describe('names', () => {
  test.each([
    '..foo.txt',
    'a..b',
    'a/..b/c',
    'with blanks.md',
    'größe/文件.txt',
    '...',
    '.hidden',
    'a/b/c/d',
    '💡',
    '-rf',
    '~',
  ])('like %s are odd and good', async (name) => {
    const archive = await open([{ name, content: 'x' }]);
    expect(archive.names).toEqual(['murmur.yaml', name]);
    expect(await text(archive, name)).toBe('x');
  });

  test.each([
    ['../../x.wasm', "it contains a '..' component"],
    ['a/../b', "it contains a '..' component"],
    ['..', "it contains a '..' component"],
    ['a/..', "it contains a '..' component"],
    ['../', "it contains a '..' component"],
    ['/../x', "it contains a '..' component"],
    ['//server/share/x', 'it is an absolute path'],
    ['///x', 'it is an absolute path'],
    ['C:x', 'it starts with a drive letter'],
    ['c:/x', 'it starts with a drive letter'],
    ['/C:/x', 'it starts with a drive letter'],
    ['a\\b', "it contains a '\\'"],
    ['..\\..\\x', "it contains a '\\'"],
    ['\\\\server\\share', "it contains a '\\'"],
    ['./a', "it contains a '.' component"],
    ['a/./b', "it contains a '.' component"],
    ['a//b', 'it contains an empty component'],
    ['a//', 'it contains an empty component'],
    ['', 'it is empty'],
    ['/', 'it is empty'],
  ])('like %j are refused', async (name, reason) => {
    expect(await refusal(open([{ name }]))).toBe(`zip entry '${name}' has an unsafe path: ${reason}`);
  });

  test.each(['a\0b', 'a\nb', 'a\x1b[2Jb', 'a\x7f', 'a\u0085b'])(
    'with control characters are refused, %j',
    async (name) => {
      const message = await refusal(open([{ name }]));
      expect(message).toMatch(/^zip entry 'a.* has an unsafe path: it contains a control character$/u);
      expect(message).not.toMatch(/[\0-\x1f\x7f-\x9f]/);
    },
  );

  test('that are not UTF-8 are refused, whatever their flag says', async () => {
    for (const flags of [0, 0x800]) {
      expect(await refusal(open([{ name: Buffer.from([0x61, 0xff]), flags }]))).toBe(
        "zip entry 'aÿ' has a name that is not valid UTF-8",
      );
    }
  });

  test('are UTF-8 also when their flag does not say so', async () => {
    expect((await open([{ name: 'größe', flags: 0 }])).names).toContain('größe');
  });

  test('of any length are printed short', async () => {
    expect((await refusal(open([{ name: `../${'a'.repeat(5000)}` }]))).length).toBeLessThan(300);
  });

  test('with a leading / are nobody’s payload', async () => {
    const archive = await open([{ name: '/capsule.wasm', content: 'x' }, { name: 'a.wasm' }]);
    expect(archive.names).toEqual(['murmur.yaml', 'a.wasm']);
    expect(await refusal(archive.read('/capsule.wasm'))).toBe("it has no file '/capsule.wasm'");
    expect(await refusal(archive.read('capsule.wasm'))).toBe("it has no file 'capsule.wasm'");
  });

  test.each([
    ['twice', 'a', 'a'],
    ['in other letters', 'Skill.md', 'skill.MD'],
    ['composed in another way', 'e\u0301', '\u00e9'],
    ['with and without a leading /', 'a', '/a'],
    ['as a file and as a folder', 'a', 'a/'],
    ['as a file and as a folder above another', 'a', 'A/b'],
    ['as a folder above another and as a file', 'a/b', 'a'],
    ['in letters that fold to two', 'straße', 'STRASSE'],
  ])('given %s are refused', async (_, first, second) => {
    expect(await refusal(open([{ name: first }, { name: second }]))).toBe(
      `zip entries '${first}' and '${second.replace(/^\//, '')}' would be one file`,
    );
  });

  test('of folders may come twice, and folders are no files', async () => {
    const archive = await open([{ name: 'bin/' }, { name: 'bin/', mode: 0o40755 }, { name: 'bin/a', content: 'x' }]);
    expect(archive.names).toEqual(['murmur.yaml', 'bin/a']);
  });

  test('given another way by an extra field are refused', async () => {
    const other = (name: string, as: string): ZipPart => ({
      name,
      directory: { extra: extra(0x7075, Buffer.concat([Buffer.from([1]), u32(crc32(name)), Buffer.from(as)])) },
    });
    expect(await refusal(open([other('a', '../../a')]))).toBe(
      "zip entry 'a' is described in two ways: an extra field gives it another name",
    );
    expect((await open([other('a', 'a')])).names).toContain('a');
  });
});

describe('kinds', () => {
  test.each([
    ['a link', 0o120777, 'is a link'],
    ['a block device', 0o60644, 'is a device, pipe or socket'],
    ['a character device', 0o20644, 'is a device, pipe or socket'],
    ['a pipe', 0o10644, 'is a device, pipe or socket'],
    ['a socket', 0o140644, 'is a device, pipe or socket'],
    ['a folder by its mode only', 0o40755, 'is a folder by its mode or by its name, but not by both'],
  ])('%s is refused', async (_, mode, reason) => {
    expect(await refusal(open([{ name: 'a', content: '/etc/passwd', mode }]))).toBe(`zip entry 'a' ${reason}`);
  });

  test('a file by its mode and folder by its name, and a folder with content, are refused', async () => {
    expect(await refusal(open([{ name: 'a/', mode: 0o100644 }]))).toMatch(/is a folder by its mode or by its name/);
    expect(await refusal(open([{ name: 'a/', content: 'x' }]))).toBe("zip entry 'a/' is a folder with content");
  });

  test.each([
    ['encrypted', { flags: 0x801 }, 'is encrypted'],
    ['strongly encrypted', { flags: 0x840 }, 'it is no whole zip file (strong encryption is not supported)'],
    ['with masked headers', { flags: 0x2800 }, 'is encrypted'],
    ['a patch', { flags: 0x820 }, 'is a patch of another file'],
    ['bzip2', { method: 12 }, 'is packed with method 12; only stored and deflated entries can be read'],
    ['deflate64', { method: 9 }, 'is packed with method 9; only stored and deflated entries can be read'],
  ])('an entry that is %s is refused', async (_, fields, reason) => {
    expect(await refusal(open([{ name: 'a', ...fields }]))).toContain(reason);
  });

  test('stored and deflated entries are read', async () => {
    const archive = await open([
      { name: 'stored', content: 'hello', method: 0 },
      { name: 'deflated', content: 'hello' },
      { name: 'empty', content: '' },
      { name: 'nothing', content: '', method: 0 },
    ]);
    expect(await Promise.all(archive.names.slice(1).map((name) => text(archive, name)))).toEqual([
      'hello',
      'hello',
      '',
      '',
    ]);
  });

  test('what is read is a copy', async () => {
    const zip = buildZip([{ ...manifest, method: 0 }]);
    const archive = await openArchive(zip, 'p');
    (await archive.read('murmur.yaml')).fill(0);
    expect(await text(archive, 'murmur.yaml')).toContain('name: a');
  });
});

describe('two headers that disagree are refused', () => {
  test.each<[string, Partial<ZipPart>, string]>([
    ['on the name', { local: { name: 'b' } }, 'name'],
    ['on the length of the name', { local: { name: '../../a' } }, 'name'],
    ['on the method', { local: { method: 0 } }, 'method'],
    ['on encryption', { local: { flags: 0x801 } }, 'flag'],
    ['on the checksum', { local: { crc32: 1 } }, 'checksum'],
    ['on the size', { local: { bytes: 1 } }, 'size'],
    ['on the packed size', { local: { packedBytes: 1 } }, 'size'],
    ['on a long size', { local: { bytes: 0xffffffff, extra: extra(1, u64(9)) } }, 'size'],
    ['on a long size that is not there', { local: { bytes: 0xffffffff, extra: extra(7, u64(9)) } }, 'size'],
    ['on a long size that is cut off', { local: { bytes: 0xffffffff, extra: extra(1, u16(9)) } }, 'size'],
  ])('%s', async (_, lie, field) => {
    expect(await refusal(open([{ name: 'a', content: 'hello', ...lie }]))).toBe(
      `zip entry 'a' is described in two ways: its local header has another ${field}`,
    );
  });

  test('unless only in the effort of the packer', async () => {
    expect((await open([{ name: 'a', local: { flags: 0x802 } }])).names).toContain('a');
  });
});

describe('descriptors', () => {
  const content = 'hello';
  const data = deflateRawSync(content);
  const fields = [crc32(content), data.length, content.length] as const;
  const described = (
    descriptor: Uint8Array,
    local: ZipPart['local'] = { crc32: 0, bytes: 0, packedBytes: 0 },
  ): ZipPart => ({
    name: 'a',
    content,
    flags: 0x808,
    local,
    descriptor,
  });
  const signature = u32(0x08074b50);
  const long = Buffer.concat([u32(fields[0]), u64(fields[1], fields[2])]);

  test.each([
    ['plain', u32(...fields)],
    ['signed', Buffer.concat([signature, u32(...fields)])],
    ['long', long],
    ['long and signed', Buffer.concat([signature, long])],
  ])('that are %s are read', async (_, descriptor) => {
    expect(await text(await open([described(descriptor), { name: 'b' }]), 'a')).toBe('hello');
    expect(await text(await open([described(descriptor)]), 'a')).toBe('hello');
  });

  test.each([
    ['of another checksum', u32(1, fields[1], fields[2])],
    ['of another packed size', u32(fields[0], 1, fields[2])],
    ['of another size', u32(fields[0], fields[1], 1)],
    ['of another signature', Buffer.concat([u32(1), u32(...fields)])],
  ])('%s are refused', async (_, descriptor) => {
    expect(await refusal(open([described(descriptor)]))).toBe(
      "zip entry 'a' is described in two ways: its data descriptor says something else",
    );
  });

  test('that are missing or of no known length are refused', async () => {
    for (const bytes of [0, 4, 13, 100]) {
      expect(await refusal(open([described(Buffer.alloc(bytes)), { name: 'b' }]))).toBe(
        "zip entry 'a' has no whole data descriptor",
      );
    }
  });

  test('do not excuse a local header that says something else', async () => {
    expect(await refusal(open([described(u32(...fields), { bytes: 4, packedBytes: 0, crc32: 0 })]))).toMatch(
      /another size/,
    );
  });
});

describe('sizes', () => {
  const zeros = Buffer.alloc(5000);
  const opened = (part: ZipPart): Promise<Archive> => openArchive(buildZip([manifest, part]), 'x.mur.zip', small);

  test('above the ceiling are refused before anything is unpacked', async () => {
    expect(await refusal(opened({ name: 'a', content: zeros }))).toBe(
      "zip entry 'a' exceeds the 1000-byte decompression ceiling",
    );
    expect((await opened({ name: 'a', content: zeros.subarray(0, 1000) })).names).toContain('a');
  });

  test('that are claimed small and unpack large are refused after the claimed bytes', async () => {
    const archive = await open([{ name: 'bomb', content: Buffer.alloc(64 << 20), bytes: 10 }]);
    const before = process.memoryUsage().rss;
    expect(await refusal(archive.read('bomb'))).toBe("zip entry 'bomb' unpacks to more than the 10 bytes it declares");
    expect(process.memoryUsage().rss - before).toBeLessThan(32 << 20);
  });

  test('that are claimed large and unpack small are refused, and cost nothing', async () => {
    const archive = await open([{ name: 'a', content: 'x', bytes: 15 << 20 }]);
    expect(await refusal(archive.read('a'))).toBe(
      `zip entry 'a' unpacks to 1 bytes, not to the ${15 << 20} it declares`,
    );
  });

  test('that are claimed beyond any file are refused', async () => {
    for (const bytes of [2 ** 40, 2 ** 60]) {
      const part = { name: 'a', bytes: 0xffffffff, extra: extra(1, u64(bytes)) };
      expect(await refusal(open([part]))).toBe("zip entry 'a' exceeds the 524288000-byte decompression ceiling");
    }
  });

  test('of a bomb by ratio are refused before anything is unpacked', async () => {
    expect(await refusal(open([{ name: 'bomb', content: Buffer.alloc(17 << 20) }]))).toBe(
      "zip entry 'bomb' unpacks to more than 250 times its size, as a decompression bomb does",
    );
    expect((await open([{ name: 'small', content: Buffer.alloc(15 << 20) }])).names).toContain('small');
  });

  test('that add up above the ceiling are refused', async () => {
    const parts = [
      { name: 'a', content: zeros.subarray(0, 900) },
      { name: 'b', content: zeros.subarray(0, 900) },
    ];
    expect(await refusal(openArchive(buildZip([manifest, ...parts]), 'x.mur.zip', small))).toBe(
      'its entries together exceed the 1500-byte decompression ceiling',
    );
  });

  test('of a bomb by count are refused before the entries are read', async () => {
    const parts = Array.from({ length: 10_001 }, (_, index) => ({
      name: `f${index}`,
      data: new Uint8Array(),
      method: 0,
    }));
    expect(await refusal(openArchive(buildZip(parts), 'x.mur.zip'))).toBe(
      'it lists 10001 entries, more than the 10000 allowed',
    );
  });

  test.each([
    ['stored', { method: 0, bytes: 4 }, 'compressed/uncompressed size mismatch'],
    ['packed', { packedBytes: 1000 }, 'file data overflows file bounds'],
  ])('that are wrong for %s data are refused', async (_, lie, reason) => {
    expect(await refusal(open([{ name: 'a', content: 'hello', ...lie }]))).toContain(reason);
  });

  test.each([
    [{}, 524_288_000],
    [{ MURMUR_MAX_ARTIFACT_DECOMPRESSED_BYTES: '1000' }, 1000],
    [{ MURMUR_MAX_ARTIFACT_DECOMPRESSED_BYTES: ' 1000 ' }, 1000],
    [{ MURMUR_MAX_ARTIFACT_DECOMPRESSED_BYTES: '1e9' }, 524_288_000],
    [{ MURMUR_MAX_ARTIFACT_DECOMPRESSED_BYTES: '-1' }, 524_288_000],
    [{ MURMUR_MAX_ARTIFACT_DECOMPRESSED_BYTES: '0' }, 524_288_000],
    [{ MURMUR_MAX_ARTIFACT_DECOMPRESSED_BYTES: '9'.repeat(30) }, 524_288_000],
    [{ MURMUR_MAX_ARTIFACT_DECOMPRESSED_BYTES: '' }, 524_288_000],
  ])('have the ceiling of the environment: %j', (env, bytes) => expect(archiveLimits(env).entryBytes).toBe(bytes));
});

describe('content that is damaged is refused', () => {
  test.each<[string, Partial<ZipPart>, RegExp]>([
    ['by its checksum', { crc32: 1 }, /^zip entry 'a' is damaged: its checksum does not fit$/],
    ['in its deflated form', { data: Buffer.from([0xff, 0xff, 0xff]) }, /^zip entry 'a' is damaged: invalid/],
    [
      'by its end',
      { data: deflateRawSync('hello').subarray(0, 4) },
      /^zip entry 'a' is damaged: unexpected end of file$/,
    ],
    [
      'by bytes behind it',
      { data: Buffer.concat([deflateRawSync('hello'), Buffer.from('x')]) },
      /bytes follow its content$/,
    ],
  ])('%s', async (_, lie, reason) => {
    const archive = await open([{ name: 'a', content: 'hello', ...lie }]);
    expect(await refusal(archive.read('a'))).toMatch(reason);
    // What is whole can still be read.
    expect(await text(archive, 'murmur.yaml')).toContain('name: a');
  });
});

describe('the file as a whole', () => {
  const junk = Buffer.from('junk');
  test.each<[string, () => Uint8Array, string]>([
    ['empty', () => Buffer.alloc(0), 'it is no zip file, or its end is cut off'],
    ['no zip', () => Buffer.from('#!/bin/sh\nexit 1\n'.repeat(20)), 'it is no zip file, or its end is cut off'],
    ['an archive of nothing', () => buildZip([]), 'artifact missing required file murmur.yaml'],
    ['without a manifest', () => buildZip([{ name: 'a' }]), 'artifact missing required file murmur.yaml'],
    [
      'with a manifest in a folder',
      () => buildZip([{ name: 'x/murmur.yaml' }]),
      'artifact missing required file murmur.yaml',
    ],
    [
      'with a manifest at an absolute path',
      () => buildZip([{ name: '/murmur.yaml' }]),
      'artifact missing required file murmur.yaml',
    ],
    ['with bytes behind it', () => buildZip([manifest], { suffix: junk }), 'bytes follow its end record'],
    [
      'with bytes in front of it',
      () => Buffer.concat([junk, buildZip([manifest])]),
      'its directory is not where its end record says: bytes were added, removed or cut off',
    ],
    [
      'with accounted bytes in front',
      () => buildZip([manifest], { prefix: junk }),
      "bytes that no entry has lie before zip entry 'murmur.yaml'",
    ],
    [
      'with bytes between entries',
      () => buildZip([manifest, { name: 'a', before: junk }]),
      "bytes that no entry has lie before zip entry 'a'",
    ],
    [
      'with bytes before the directory',
      () => buildZip([manifest], { beforeDirectory: junk }),
      'bytes that no entry has lie before its directory',
    ],
    [
      'with bytes behind the directory',
      () => buildZip([manifest], { afterDirectory: junk }),
      'its directory is not where its end record says: bytes were added, removed or cut off',
    ],
    [
      'with a hidden entry',
      () => buildZip([manifest, { name: 'a' }], { end: { entries: 1, here: 1 } }),
      'its directory holds more than the entries it counts',
    ],
    [
      'with an entry that is not there',
      () => buildZip([manifest], { end: { entries: 2, here: 2 } }),
      'it is no whole zip file (unexpected EOF)',
    ],
    [
      'on several disks',
      () => buildZip([manifest], { end: { disk: 1 } }),
      'it is one part of an archive over several disks',
    ],
    [
      'that starts on another disk',
      () => buildZip([manifest], { end: { startDisk: 1 } }),
      'it is one part of an archive over several disks',
    ],
    [
      'with entries on other disks',
      () => buildZip([manifest], { end: { entries: 2 } }),
      'it is one part of an archive over several disks',
    ],
    [
      'with an entry on another disk',
      () => buildZip([{ ...manifest, directory: { disk: 1 } }]),
      'it is one part of an archive over several disks',
    ],
    [
      'with an entry that starts outside',
      () => buildZip([{ ...manifest, directory: { offset: 1 << 20 } }]),
      'unexpected EOF',
    ],
    [
      'with an entry that starts nowhere',
      () => buildZip([{ ...manifest, directory: { offset: 3 } }]),
      'invalid local file header signature',
    ],
    [
      'with a broken extra field',
      () => buildZip([{ ...manifest, directory: { extra: u16(1, 99) } }]),
      'extra field length exceeds extra field buffer size',
    ],
  ])('%s is refused', async (_, make, reason) => {
    expect(await refusal(openArchive(make(), 'x.mur.zip'))).toContain(reason);
  });

  test('cut off anywhere is refused', async () => {
    const zip = buildZip([manifest, { name: 'a.wasm', content: 'hello' }]);
    for (let length = 0; length < zip.length; length += 1) {
      expect(await refusal(openArchive(zip.subarray(0, length), 'x.mur.zip'))).not.toBe('accepted');
    }
  });

  test('whose entries share bytes is refused', async () => {
    const start = buildZip([manifest]).length;
    const twice = buildZip([
      manifest,
      { name: 'a', content: 'hello' },
      { name: 'a', content: 'hello', directory: { name: 'b' } },
    ]);
    expect(start).toBeGreaterThan(0);
    expect(await refusal(openArchive(twice, 'x.mur.zip'))).toMatch(/another name/);
    // One local file listed twice: a quoted overlap, as in bombs without nesting.
    const overlap = buildZip([
      { ...manifest },
      { name: 'b', content: 'x', directory: { offset: 0, name: 'murmur.yaml' } },
    ]);
    expect(await refusal(openArchive(overlap, 'x.mur.zip'))).not.toBe('accepted');
    const inner = buildZip([{ name: 'in', method: 0, content: 'x' }]).subarray(0, 33);
    const outer: ZipPart = { name: 'out', method: 0, content: inner };
    const at = buildZip([manifest]).length - 22 - 46 - 11 + 30 + 3;
    const nested = buildZip([manifest, outer, { name: 'in', method: 0, content: 'x', directory: { offset: at } }]);
    expect(await refusal(openArchive(nested, 'x.mur.zip'))).toBe("zip entry 'in' shares bytes with another one");
  });

  test('whose last entry runs into the directory is refused', async () => {
    expect(
      await refusal(open([{ name: 'a', method: 0, content: 'abc', data: Buffer.from('ab'), packedBytes: 3 }])),
    ).toBe('an entry runs into its directory');
  });

  test('whose entries lie in another order than the directory says is fine', async () => {
    const first = buildZip([manifest]);
    const length = first.length - 22 - 46 - 11;
    const swapped = buildZip([
      { ...manifest, directory: { offset: length } },
      { ...manifest, directory: { offset: 0 } },
    ]);
    // Two equal files: only the register of names objects, so offsets out of order did not.
    expect(await refusal(openArchive(swapped, 'x.mur.zip'))).toMatch(/would be one file/);
  });

  test('may have a comment', async () => {
    expect((await open([], { comment: Buffer.from('built by hand') })).names).toEqual(['murmur.yaml']);
  });

  test('with another archive in its comment is refused', async () => {
    const inner = buildZip([{ ...manifest, content: 'name: evil\n' }]);
    expect(await refusal(open([], { comment: inner }))).not.toBe('accepted');
  });
});

describe('64-bit end records', () => {
  const long = (fields: ZipFrame['long'], end: ZipFrame['end'] = {}): Promise<Archive> =>
    open([], { long: fields!, end });
  const placeholders = {
    disk: 0xffff,
    startDisk: 0xffff,
    here: 0xffff,
    entries: 0xffff,
    size: 0xffffffff,
    start: 0xffffffff,
  };

  test('are read, with placeholders in the short one or the same numbers', async () => {
    expect((await long({})).names).toEqual(['murmur.yaml']);
    expect((await long({}, placeholders)).names).toEqual(['murmur.yaml']);
  });

  test('let an entry have long sizes', async () => {
    const data = deflateRawSync('hello');
    const part: ZipPart = {
      name: 'a',
      content: 'hello',
      bytes: 0xffffffff,
      packedBytes: 0xffffffff,
      extra: extra(1, u64(5, data.length)),
    };
    expect(await text(await open([part], { long: {} }), 'a')).toBe('hello');
  });

  test.each<[string, ZipFrame['long'], string]>([
    ['that lie elsewhere', { at: 4 }, 'its 64-bit end record is damaged'],
    ['beyond the file', { at: 2 ** 60 }, 'its 64-bit end record is damaged'],
    ['of another length', { recordBytes: 45 }, 'its 64-bit end record is damaged'],
    ['on several disks', { disks: 2 }, 'its 64-bit end record is damaged'],
    ['that disagree on the count', { entries: 2, here: 2 }, 'its two end records disagree'],
    ['that disagree on the offset', { start: 4 }, 'its two end records disagree'],
    ['that disagree on the size', { size: 4 }, 'its two end records disagree'],
    ['that disagree on the disk', { disk: 1 }, 'its two end records disagree'],
  ])('%s are refused', async (_, fields, reason) => expect(await refusal(long(fields))).toBe(reason));

  test.each<[string, ZipFrame['long']]>([
    ['more entries than memory', { entries: 2 ** 50, here: 2 ** 50 }],
    ['an offset beyond the file', { start: 2 ** 60 }],
    ['several disks', { disk: 7 }],
  ])('that claim %s are refused', async (_, fields) => {
    expect(await refusal(long(fields, placeholders))).not.toBe('accepted');
  });
});

describe('packing', () => {
  const entries = [
    { name: 'skill.md', bytes: Buffer.from('# How') },
    { name: 'bin/tool', bytes: Buffer.from('\x7fELF'), executable: true },
    { name: 'murmur.yaml', bytes: Buffer.from('name: a\n') },
    { name: 'Ä/b c.txt', bytes: Buffer.alloc(0) },
  ];
  const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

  test('gives the same bytes for the same entries in any order, and at any time', async () => {
    const packed = await packArchive(entries);
    expect(sha256(await packArchive(entries))).toBe(sha256(packed));
    expect(sha256(await packArchive([...entries].reverse()))).toBe(sha256(packed));
  });

  test('gives the same bytes in every time zone', async () => {
    const before = process.env.TZ;
    const hashes = new Set<string>();
    for (const zone of ['UTC', 'Asia/Kathmandu', 'America/Caracas', 'Pacific/Kiritimati']) {
      process.env.TZ = zone;
      hashes.add(sha256(await packArchive(entries)));
    }
    if (before === undefined) delete process.env.TZ;
    else process.env.TZ = before;
    expect(hashes.size).toBe(1);
  });

  test('puts murmur.yaml first, then the others by name, and opens again', async () => {
    const archive = await openArchive(await packArchive(entries), 'p');
    expect(archive.names).toEqual(['murmur.yaml', 'bin/tool', 'skill.md', 'Ä/b c.txt']);
    for (const { name, bytes } of entries) expect(Buffer.from(await archive.read(name))).toEqual(bytes);
  });

  test('marks what is executable, and nothing else of the file', async () => {
    const zip = Buffer.from(await packArchive(entries));
    const modes = new Map<string, number>();
    for (let at = zip.indexOf(u32(0x02014b50)); at !== -1; at = zip.indexOf(u32(0x02014b50), at + 1)) {
      const name = zip.subarray(at + 46, at + 46 + zip.readUInt16LE(at + 28)).toString();
      modes.set(name, zip.readUInt16LE(at + 40));
    }
    expect(Object.fromEntries(modes)).toEqual({
      'murmur.yaml': 0o100644,
      'bin/tool': 0o100755,
      'skill.md': 0o100644,
      'Ä/b c.txt': 0o100644,
    });
  });

  test.each([
    ['../x', "'../x' has an unsafe path: it contains a '..' component"],
    ['/x', "'/x' has an unsafe path: it is an absolute path"],
    ['a\\b', "'a\\b' has an unsafe path: it contains a '\\'"],
    ['a/', "'a/' has an unsafe path: it names a folder"],
    ['Murmur.yaml', "entries 'murmur.yaml' and 'Murmur.yaml' would be one file"],
  ])('refuses %s', async (name, reason) => {
    await expect(packArchive([...entries.slice(2, 3), { name, bytes: Buffer.alloc(0) }])).rejects.toMatchObject({
      code: 'E-BLD-002',
      message: `the archive cannot be packed: ${reason}`,
    });
  });

  test('refuses more entries, and larger ones, than may be read again', async () => {
    const many = Array.from({ length: 10_001 }, (_, index) => ({ name: `f${index}`, bytes: Buffer.alloc(0) }));
    await expect(packArchive(many)).rejects.toMatchObject({ code: 'E-BLD-002' });
    process.env.MURMUR_MAX_ARTIFACT_DECOMPRESSED_BYTES = '10';
    try {
      await expect(packArchive([{ name: 'murmur.yaml', bytes: Buffer.alloc(11) }])).rejects.toMatchObject({
        message: "the archive cannot be packed: 'murmur.yaml' exceeds the 10-byte decompression ceiling",
      });
    } finally {
      delete process.env.MURMUR_MAX_ARTIFACT_DECOMPRESSED_BYTES;
    }
  });
});

test('text that is not UTF-8 is refused by its name', async () => {
  const archive = await open([{ name: 'skill.md', content: Buffer.from([0xff]) }]);
  const bytes = await archive.read('skill.md');
  expect(await refusal(Promise.resolve().then(() => archiveText(bytes, 'skill.md', 'x.mur.zip')))).toBe(
    "zip entry 'skill.md' is not valid UTF-8",
  );
});
