import { expect, test } from 'vitest';
import { decideWithoutHost } from '../../src/containment/without-host.js';
import { SessionFacts } from '../../src/inspect/records/describe.js';
import { parseManifest } from '../../src/manifest/index.js';
import { capabilityPolicyFromManifest } from '../../src/policy/index.js';
import { scopeFolders, scopeReport } from '../../src/scope/index.js';

const sessionId = 'ses_01a2278ec3d470acaf26b87caea380d8';
const recordsDir = `/home/ada/.murmur/records/srv/pump/workdir/${sessionId}`;
const liveness = { verdict: 'Gone', reason: null, evidence: [], at: 1 } as const;
const started = {
  event_type: 'session_start',
  containment_declared: 'advisory',
  containment_achieved: 'advisory',
  capsule_name: 'pump',
};

/** What the records of a session with these grants say of it. */
function described(grants: unknown) {
  const facts = new SessionFacts({ sessionId, recordsDir } as never, (text) => text);
  facts.heard({ ...started, effective_grants: grants });
  const { workdir, containment, grants: shown } = facts.describe(1, liveness);
  return { workdir, containment, shown, store: facts.store };
}

test('grants as they are written today tell the work folder, the store and why not more', () => {
  const { manifest } = parseManifest('name: pump\nversion: "1"\ncapabilities: { env: { allow: [LANG] } }\n', {
    path: 'm',
  });
  const home = {
    root: '/home/ada/.murmur',
    sessions: '/home/ada/.murmur/sessions',
    records: '/home/ada/.murmur/records',
  };
  const report = scopeReport({
    manifest,
    policy: capabilityPolicyFromManifest(manifest),
    containment: decideWithoutHost('advisory'),
    folders: scopeFolders({ home, manifestDir: '/srv/pump' }),
    platform: 'linux',
  });
  const { workdir, containment, shown, store } = described(report);
  expect(workdir).toBe(`/srv/pump/workdir/${sessionId}`);
  expect(containment).toMatchObject({ achieved: 'advisory', reason: expect.stringContaining('no kernel sandbox') });
  expect(shown).toMatchObject({ env_allow: ['LANG'] });
  expect(shown).not.toHaveProperty('network_allow');
  expect(store).toBeUndefined();
  expect(described({ ...report, record_store: 'shared' }).store).toBe('shared');
});

test('so do those of older sessions', () => {
  const older = {
    containment: { declared: 'advisory', achieved: 'advisory', reason: 'because' },
    filesystem: { scope: null, work_folder: '/srv/work' },
    context: { record_store: 'shared' },
  };
  expect(described(older)).toMatchObject({ workdir: '/srv/work', containment: { reason: 'because' }, store: 'shared' });
  expect(described({})).toMatchObject({ workdir: null, containment: { reason: null }, store: 'pump' });
});
