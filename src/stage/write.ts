import { basename } from 'node:path';
import { MurError, reasonOf } from '../errors/index.js';
import { shellNames } from '../policy/index.js';
import { isShell } from '../shell/command-line.js';
import { buildInventory, type InventoryEntry, renderMurmurMd } from '../tools/index.js';
import { murVersion } from '../version.js';
import { needed, type StageDraft } from './draft.js';
import { pinResolved } from './lock.js';
import type { NativeTool } from './native.js';
import { openStateStores } from './state.js';

/** Longest task that is read from a file. */
export const taskLimitBytes = 8 * 1024 * 1024;
const instructionLimitBytes = 64 * 1024;

/** Writes what the capsule reads: tool manifests, skills, the manifest, the task, MURMUR.md (spec/session.md 4.1 steps 12 to 18). */
export async function write(draft: StageDraft): Promise<void> {
  const { request } = draft;
  const folders = needed(draft.folders, 'mint');
  const resolved = needed(draft.resolved, 'resolve');
  for (const artifact of resolved) {
    if (artifact.role !== 'tool' && artifact.role !== 'skill') continue;
    folders.tools.writeFile(`${artifact.name}/murmur.yaml`, artifact.manifestText);
    if (artifact.payload.kind === 'skill') folders.tools.writeFile(`${artifact.name}/skill.md`, artifact.payload.text);
  }
  await writeImages(draft);
  openStateStores(draft);
  const prompt = request.inference?.systemPrompt;
  draft.inventory = buildInventory(
    [
      ...resolved.map((artifact) => ({
        name: artifact.name,
        manifestText: artifact.manifestText,
        skillText: artifact.payload.kind === 'skill' ? artifact.payload.text : undefined,
        origin: artifact.origin,
      })),
      ...(await writeShellTools(draft)),
    ],
    { systemPromptSkill: prompt?.kind === 'artifact' ? prompt.name.split('/').at(-1) : undefined },
  );
  if (request.manifestFile !== undefined && request.manifestText !== undefined) {
    folders.runtimeRoot.writeFile(basename(request.manifestFile), request.manifestText);
  }
  if (request.policy.readOnlyPaths.length > 0) (await import('./protect.js')).protect(draft);
  draft.instructions = readInstructions(draft);
  draft.taskText = takeTaskInput(draft);
  if (request.inference !== undefined) writeMurmurMd(draft, '');
  // Last, so that a refused launch leaves no lock.
  await pinResolved(draft);
}

/** The images of native tools. All were checked when they were resolved. */
async function writeImages(draft: StageDraft): Promise<void> {
  const natives = new Map<string, NativeTool>();
  for (const [name, native] of draft.natives) {
    const { payload } = native.artifact;
    if (payload.kind !== 'native') continue;
    const { writeImage } = await import('./native.js');
    natives.set(name, { ...native, image: writeImage(needed(draft.folders, 'mint'), name, payload.bytes) });
  }
  draft.natives = natives;
}

/** The tools of `capabilities.shell.allow`; an artifact of the same name stands in a program's place. */
async function writeShellTools({ request, folders, resolved = [] }: StageDraft): Promise<InventoryEntry[]> {
  if (request.policy.shellAllow.length === 0) return [];
  const { shellTools } = await import('../shell/index.js');
  const taken = new Set(resolved.map(({ name }) => name));
  const { tools } = shellTools(request.policy, request.hostEnv.PATH ?? '');
  return tools
    .filter(({ name }) => !taken.has(name))
    .map(({ name, manifest }) => {
      needed(folders, 'mint').tools.writeFile(`${name}/murmur.yaml`, manifest);
      return { name, manifestText: manifest, origin: 'operator' as const };
    });
}

/** Writes MURMUR.md for a door at `url` (empty before there is one). A failure is a warning: it is inventory, nothing depends on it. */
export function writeMurmurMd(draft: StageDraft, url: string): void {
  const { request } = draft;
  const folders = needed(draft.folders, 'mint');
  const prompt = request.inference?.systemPrompt;
  const text = renderMurmurMd({
    runtimeVersion: murVersion,
    generatedAt: draft.clock.now(),
    capsule: { name: request.capsuleName, version: request.capsuleVersion },
    sessionId: needed(draft.sessionId, 'mint'),
    capsuleUrl: url,
    model: request.inference?.model,
    contextBudget: draft.limits?.contextWindow,
    compacts: false,
    folders: { work: folders.accessibleWorkdir, runtime: folders.runtimeDir, records: folders.recordsDir },
    manifestFile: request.manifestFile === undefined ? undefined : basename(request.manifestFile),
    items: needed(draft.inventory, 'write').items,
    systemPromptSkill: prompt?.kind === 'artifact' ? { name: prompt.name } : undefined,
    shell: shellWords(request.policy.shellAllow),
    manages: { pull: false, remove: false },
  });
  try {
    folders.runtimeRoot.writeFile('MURMUR.md', text);
  } catch (error) {
    draft.warn('W-RUN-902', `MURMUR.md could not be written: ${reasonOf(error)}`);
  }
}

/** `inference.instruction_files`, read once: missing ones are skipped, unusable ones refuse (spec/manifest.md 8.4). */
function readInstructions(draft: StageDraft): { path: string; text: string }[] {
  const root = needed(draft.folders, 'mint').accessibleRoot;
  return (draft.request.inference?.instructionFiles ?? []).flatMap((path) => {
    try {
      const bytes = root.readFile(path, { limitBytes: instructionLimitBytes });
      return bytes === undefined ? [] : [{ path, text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) }];
    } catch (error) {
      throw new MurError('E-RUN-905', `instruction file '${path}' cannot be used: ${reasonOf(error)}`, {
        hint: 'name a UTF-8 text file of at most 64 KiB inside the work folder',
        cause: error,
      });
    }
  });
}

/**
 * The launch's task: what the caller gave, else `task.md` or `input.txt` of the work folder, copied and left where it is
 * (spec/session.md 5.3). `undefined` when there is none.
 */
function takeTaskInput(draft: StageDraft): string | undefined {
  const folders = needed(draft.folders, 'mint');
  const given = draft.request.taskInput ?? importTask(draft);
  if (given === undefined) return undefined;
  folders.runtimeRoot.writeFile('task.md', given);
  return Buffer.from(given).toString('utf8');
}

function importTask(draft: StageDraft): Uint8Array | undefined {
  const root = needed(draft.folders, 'mint').accessibleRoot;
  for (const name of ['task.md', 'input.txt']) {
    const bytes = root.readFile(name, { limitBytes: taskLimitBytes });
    if (bytes !== undefined) return bytes;
  }
  return undefined;
}

function shellWords(allow: readonly string[]): Parameters<typeof renderMurmurMd>[0]['shell'] {
  const { offered } = shellNames(allow);
  return { interpreters: offered.filter(isShell), binaries: offered.filter((name) => !isShell(name)) };
}
