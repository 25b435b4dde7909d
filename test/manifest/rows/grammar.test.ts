// biome-ignore-all lint/suspicious/noTemplateCurlyInString: manifests write references so
import { describe, expect, test } from 'vitest';
import { agent, capsule, parse } from '../support.js';
import { caps, long, rows } from './support.js';

describe('section 2, scalar grammars', () => {
  rows(
    '2 artifact name',
    [
      ['a', 'accepted'],
      ['a-0', 'accepted'],
      [long(100), 'accepted'],
      ['acme/a', 'accepted'],
      [`${long(100)}/${long(100)}`, 'accepted'],
      ['"0"', 'accepted'],
      [long(101), 'E-MAN-003 artifacts[0].name'],
      ['-a', 'E-MAN-003 artifacts[0].name'],
      ['a-', 'E-MAN-003 artifacts[0].name'],
      ['A', 'E-MAN-003 artifacts[0].name'],
      ['a_b', 'E-MAN-003 artifacts[0].name'],
      ['a b', 'E-MAN-003 artifacts[0].name'],
      ['a/b/c', 'E-MAN-003 artifacts[0].name'],
      ['a\\b', 'E-MAN-003 artifacts[0].name'],
      ['"/a"', 'E-MAN-003 artifacts[0].name'],
      ['"é"', 'E-MAN-003 artifacts[0].name'],
    ],
    (name) => capsule(`artifacts: [{ name: ${name}, version: 1 }]`),
  );

  rows(
    '2 byte size',
    [
      ['1', 'accepted'],
      ['"1"', 'accepted'],
      ['1Ki', 'accepted'],
      ['10Mi', 'accepted'],
      ['1Gi', 'accepted'],
      ['0', 'E-MAN-003 exports.files.max_bytes'],
      ['0Mi', 'E-MAN-003 exports.files.max_bytes'],
      ['1.5', 'E-MAN-003 exports.files.max_bytes'],
      ['-1', 'E-MAN-003 exports.files.max_bytes'],
      ['10MB', 'E-MAN-003 exports.files.max_bytes'],
      ['10mi', 'E-MAN-003 exports.files.max_bytes'],
      ['"10 Mi"', 'E-MAN-003 exports.files.max_bytes'],
      ['9007199254740991Gi', 'E-MAN-003 exports.files.max_bytes'],
      ['1e20', 'E-MAN-003 exports.files.max_bytes'],
    ],
    (size) => capsule(`exports: { files: { root: out, mode: read-only, max_bytes: ${size} } }`),
  );

  test.each([
    ['1Ki', 1024],
    ['10Mi', 10_485_760],
    ['2Gi', 2_147_483_648],
    ['512', 512],
  ])('2 byte size %s is %i bytes', (size, bytes) => {
    const text = capsule(`exports: { files: { root: out, mode: read-only, max_bytes: ${size} } }`);
    expect(parse(text).exports?.files?.maxBytes).toBe(bytes);
  });

  rows(
    '2 TTL',
    [
      ['90', 'accepted'],
      ['90s', 'accepted'],
      ['15m', 'accepted'],
      ['2h', 'accepted'],
      ['0', 'E-MAN-003 exports.peer_files.max_ttl'],
      ['0s', 'E-MAN-003 exports.peer_files.max_ttl'],
      ['1d', 'E-MAN-003 exports.peer_files.max_ttl'],
      ['1h30m', 'E-MAN-003 exports.peer_files.max_ttl'],
    ],
    (ttl) => capsule(`exports: { peer_files: { root: out, max_ttl: ${ttl} } }`),
  );

  test.each([
    ['90', 90],
    ['90s', 90],
    ['15m', 900],
    ['2h', 7200],
    ['3d', 259_200],
  ])('2 duration %s is %i seconds', (age, seconds) => {
    expect(parse(capsule(`trace: { retain: { max_age: ${age} } }`)).trace.retain?.maxAgeSeconds).toBe(seconds);
  });

  rows(
    '2 path segment',
    [
      ['ledger', 'accepted'],
      ['"a b"', 'accepted'],
      ['""', 'E-CAP-011'],
      ['.', 'E-CAP-011'],
      ['..', 'E-CAP-011'],
      ['.hidden', 'E-CAP-011'],
      ['a/b', 'E-CAP-011'],
      ['/a', 'E-CAP-011'],
      ['"a\\\\b"', 'E-CAP-011'],
    ],
    (store) => capsule(`context: { record_store: ${store} }`),
  );

  rows(
    '2 workdir subpath',
    [
      ['a', 'accepted'],
      ['a/../b', 'accepted'],
      ['.', 'accepted'],
      ['a/./b', 'accepted'],
      ['..foo', 'accepted'],
      ['../a', 'E-CAP-002'],
      ['a/../../b', 'E-CAP-002'],
      ['a/../../a', 'E-CAP-002'],
      ['/a', 'E-CAP-002'],
      ['"C:/a"', 'E-CAP-002'],
      ['"..\\\\a"', 'E-CAP-002'],
    ],
    (path) => caps(`filesystem: { scope: ${path} }`),
  );

  rows(
    '2 driver-choice name',
    [
      ['a', 'accepted'],
      [long(63), 'accepted'],
      [long(64), 'E-MAN-003 inference.alternates[0].name'],
      ['0a', 'E-MAN-003 inference.alternates[0].name'],
      ['A', 'E-MAN-003 inference.alternates[0].name'],
      ['a_b', 'E-MAN-003 inference.alternates[0].name'],
      ['primary', 'E-MAN-003 inference.alternates[0].name'],
      ['', 'E-MAN-003 inference.alternates[0].name'],
    ],
    (name) =>
      `${agent(`alternates: [{ name: ${name}, model: m2, driver: { artifact: brain } }]`)}control: { settings: [inference.driver] }\n`,
  );

  rows(
    '2 door credential name',
    [
      ['a', 'accepted'],
      ['a_-9', 'accepted'],
      [long(32), 'accepted'],
      [long(33), `E-MAN-003 network.authentication.credentials.${long(33)}`],
      ['A', 'E-MAN-003 network.authentication.credentials.A'],
      ['_a', 'E-MAN-003 network.authentication.credentials._a'],
      ['operator', 'E-MAN-003 network.authentication.credentials.operator'],
    ],
    (name) =>
      capsule(`network: { authentication: { scheme: bearer, credentials: { ${name}: { scopes: [tasks/get] } } } }`),
  );
});
