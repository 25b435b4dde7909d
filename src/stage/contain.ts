import { checkContainment } from '../containment/check.js';
import type { HostReport } from '../containment/host.js';
import { containmentWarnings } from '../containment/warnings.js';
import type { WarningCode } from '../errors/index.js';
import type { LifecycleConfig } from '../manifest/index.js';
import { hasDescriptorWalk, scopeFolders, scopeReport } from '../scope/index.js';
import { hostFor, type NativeReach, type Reach, type ReachAsked, reachOf } from './containment.js';
import { needed, type StageDraft } from './draft.js';
import { readOnlyWarnings } from './read-only.js';

/** Reads the host once; every later decision uses this reading. */
export async function probe(draft: StageDraft): Promise<void> {
  const host = await hostFor(askedOf(draft, []));
  draft.hostFacts = {
    platform: process.platform,
    descriptorWalk: hasDescriptorWalk() ? 'full' : 'none',
    ...(host === undefined ? {} : { host }),
  };
}

/** Decides the containment class, refuses what this host does not reach, and reports what the session may do. */
export async function contain(draft: StageDraft): Promise<void> {
  await decideReach(draft, []);
  if (needed(draft.hostFacts, 'probe').descriptorWalk === 'none') {
    draft.warn(
      'W-SEC-905',
      'this host has no /proc/self/fd: paths of WASM tools are checked by name and not by descriptor, so a process that swaps folders for links could lead a tool out of the work folder',
    );
  }
}

/**
 * The same once artifacts are resolved and native tools among them: a capsule that looked as if it started no process does. The host
 * is read now if nobody needed it before.
 */
export async function containNative(draft: StageDraft, nativeTools: readonly NativeReach[]): Promise<void> {
  const facts = needed(draft.hostFacts, 'probe');
  const host = facts.host ?? (await hostFor(askedOf(draft, nativeTools)));
  draft.hostFacts = { ...facts, ...(host === undefined ? {} : { host }) };
  await decideReach(draft, nativeTools);
}

async function decideReach(draft: StageDraft, nativeTools: readonly NativeReach[]): Promise<void> {
  const { host } = needed(draft.hostFacts, 'probe');
  const warnOnce = (code: WarningCode, message: string): void => {
    if (draft.saidOfReach.has(message)) return;
    draft.saidOfReach.add(message);
    draft.warn(code, message);
  };
  draft.reach = await checkedReach(askedOf(draft, nativeTools), host, draft.lifecycle, warnOnce);
  draft.scopeReport = scopeReport(draft.reach.scope);
}

function askedOf({ request, home }: StageDraft, nativeTools: readonly NativeReach[]): ReachAsked {
  const { manifest, policy, manifestDir, workdir, hostEnv, hostPaths = [] } = request;
  const folders = scopeFolders({ home, manifestDir, ...(workdir === undefined ? {} : { workdir }) });
  const floor = request.declaredContainmentFloor;
  return { policy, manifest, floor, folders, hostEnv, hostPaths, nativeTools };
}

/**
 * What commands get of this host, after the refusals of spec/containment.md 4 and its warnings. Refusal, report and launch follow from
 * the same decision; `mur sandbox` decides here, too.
 */
export async function checkedReach(
  asked: ReachAsked,
  host: HostReport | undefined,
  lifecycle: Pick<LifecycleConfig, 'taskAcceptance' | 'afterTask'>,
  warn: (code: WarningCode, message: string) => void,
): Promise<Reach> {
  const { policy, nativeTools = [] } = asked;
  const reach = await reachOf(asked, host);
  const { decision, programs } = reach;
  checkContainment({
    host: host ?? { network: { usable: true } },
    decision,
    policy,
    ...(programs === undefined ? {} : { unreachableScripts: programs.executables.unreachableScripts }),
  });
  for (const { code, message } of containmentWarnings(decision, { ...policy, nativeTools })) warn(code, message);
  if (programs !== undefined) {
    const { programWarnings } = await import('./programs.js');
    for (const { code, message } of programWarnings(asked, lifecycle, programs)) warn(code, message);
  }
  for (const { code, message } of readOnlyWarnings(policy, reach.scope.readOnly)) warn(code, message);
  return reach;
}
