import { describe, expect, test } from 'vitest';
import { capabilityPolicyFromManifest } from '../../../src/policy/index.js';
import { capsule, parse } from '../support.js';
import { rows } from './support.js';

describe('section 12, exports', () => {
  rows(
    '12',
    [
      ['{}', 'accepted'],
      ['{ files: { root: out, mode: read-only } }', 'accepted'],
      ['{ files: { root: out } }', 'E-MAN-003 exports.files.mode'],
      ['{ files: { root: out, mode: read-write } }', 'E-MAN-003 exports.files.mode'],
      ['{ files: { mode: read-only } }', 'E-MAN-003 exports.files.root'],
      ['{ files: { root: " ", mode: read-only } }', 'E-MAN-003 exports.files.root'],
      ['{ files: { root: /out, mode: read-only } }', 'E-MAN-003 exports.files.root'],
      ['{ files: { root: ../out, mode: read-only } }', 'E-MAN-003 exports.files.root'],
      ['{ files: { root: ..out, mode: read-only } }', 'accepted'],
      ['{ peer_files: { root: out } }', 'accepted'],
      ['{ peer_files: {} }', 'E-MAN-003 exports.peer_files.root'],
      ['{ peer_files: { root: out, max_bytes: 0 } }', 'E-MAN-003 exports.peer_files.max_bytes'],
      ['{ peer_tasks: {} }', 'E-MAN-003 exports.peer_tasks.accept'],
      ['{ peer_tasks: { accept: false } }', 'accepted'],
      ['{ peer_tasks: }', 'accepted'],
      ['{ peer_files: { root: out, max_ttl: 16m } }\nlifecycle: { after_task: sleep }', 'E-CAP-008'],
      ['{ peer_files: { root: out } }\nlifecycle: { after_task: sleep }', 'E-CAP-008'],
      ['{ peer_files: { root: out, max_ttl: 15m } }\nlifecycle: { after_task: sleep }', 'accepted'],
    ],
    (block) => capsule(`exports: ${block}`),
  );

  test('12 exports never enter the policy', () => {
    const policy = (text: string) => capabilityPolicyFromManifest(parse(text));
    const open = 'exports: { files: { root: out, mode: read-only }, peer_tasks: { accept: true } }';
    expect(policy(capsule(open))).toEqual(policy(capsule()));
  });
});
