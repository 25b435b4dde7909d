import type { ResolvedArtifact } from '../artifacts/index.js';
import type { ArtifactEntry } from '../manifest/index.js';
import { artifactGrant, startProblem } from '../policy/index.js';
import { type Component, linkError, startsPrograms } from '../wasm/index.js';
import { needed, type StageDraft, type StagedComponent } from './draft.js';

/** Compiles every component, or takes it from the cache, and checks that it fits the world of its role. */
export async function compile(draft: StageDraft): Promise<void> {
  const { request } = draft;
  const tools = new Map<string, StagedComponent>();
  for (const artifact of needed(draft.resolved, 'resolve')) {
    if (artifact.payload.kind !== 'wasm') continue;
    const staged = await stageComponent(draft, artifact, artifact.payload.bytes);
    if (artifact.role === 'tool') {
      warnOfPrograms(draft, staged.component, `tool '${artifact.name}'`, artifact.entry);
      tools.set(artifact.name, staged);
    } else if (artifact.role === 'driver' && isConfigured(draft, artifact)) {
      draft.driver = {
        ...staged,
        model: request.inference?.model ?? '',
        limits: needed(draft.limits, 'check'),
      };
    }
  }
  draft.tools = tools;
  if (request.capsuleComponent !== undefined) {
    const component = await load(draft, request.capsuleName, request.capsuleComponent);
    const problem = linkError(component, 'capsule', request.capsuleName);
    if (problem !== undefined) throw problem;
    warnOfPrograms(draft, component, `capsule '${request.capsuleName}'`);
    draft.capsule = component;
  }
}

async function stageComponent(
  draft: StageDraft,
  artifact: ResolvedArtifact,
  bytes: Uint8Array,
): Promise<StagedComponent> {
  const component = await load(draft, artifact.name, bytes);
  const kind = artifact.role === 'driver' ? 'driver' : 'tool';
  const problem = linkError(component, kind, `${artifact.fullName}@${artifact.version}`);
  if (problem !== undefined) throw problem;
  const { network, filesystemScope, warnings } = artifactGrant(
    artifact.entry,
    needed(draft.networkCeiling, 'validate'),
  );
  for (const warning of warnings) draft.warn(warning.code, warning.message);
  const route = draft.gateways.get(artifact.name)?.route;
  return { artifact, component, network, filesystemScope, ...(route === undefined ? {} : { route }) };
}

/** A component that asks for programs and gets none still runs: it is told at each start. */
function warnOfPrograms(draft: StageDraft, component: Component, who: string, entry?: ArtifactEntry): void {
  const problem = startsPrograms(component) ? startProblem(draft.request.policy, entry) : undefined;
  if (problem === undefined) return;
  draft.warn('W-SEC-906', `${who} asks to start programs (murmur:shell/execute), and may start none: ${problem}`);
}

function isConfigured(draft: StageDraft, { entry }: ResolvedArtifact): boolean {
  const name = draft.request.inference?.driver.artifact;
  return entry.name === name || entry.toolName === name;
}

function load(draft: StageDraft, name: string, bytes: Uint8Array) {
  return draft.wasm.load(name, bytes, (progress) => {
    if (progress.state === 'compiling') draft.notify({ type: 'component.compiling', name });
    if (progress.state === 'compiled')
      draft.notify({ type: 'component.compiled', name, durationMs: progress.durationMs ?? 0 });
  });
}
