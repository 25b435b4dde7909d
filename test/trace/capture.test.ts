import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sha256Hex } from '../../src/text/index.js';
import { BlobStore } from '../../src/trace/index.js';
import { heldFolder } from '../home/temporary.js';

test('the bytes of a blob hash to its name', () => {
  const records = heldFolder();
  const store = new BlobStore(records);
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
      const hash = store.put(bytes);
      expect(sha256Hex(readFileSync(join(records.path, 'blobs', hash)))).toBe(hash);
    }),
    { numRuns: 20 },
  );
});

test('blobs are made when first needed: folder 0700, files 0600', () => {
  const records = heldFolder();
  const store = new BlobStore(records);
  expect(readdirSync(records.path)).toEqual([]);
  const hash = store.put('text');
  expect(statSync(join(records.path, 'blobs')).mode & 0o777).toBe(0o700);
  expect(statSync(join(records.path, 'blobs', hash)).mode & 0o777).toBe(0o600);
});

test('a blob is written once; one that is there already is left, and counted by nobody', () => {
  const records = heldFolder();
  const store = new BlobStore(records);
  const hash = store.put('text');
  writeFileSync(join(records.path, 'blobs', hash), 'left');
  expect(store.put('text')).toBe(hash);
  expect(new BlobStore(records).put('text')).toBe(hash);
  expect(readFileSync(join(records.path, 'blobs', hash), 'utf8')).toBe('left');
  expect(store.writtenBytes).toBe(4);
});
