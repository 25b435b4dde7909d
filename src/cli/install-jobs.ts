/** The work of `mur install`: fetched side by side, stored and pinned one after another. Not what is printed (install-view.ts). */
import { join } from 'node:path';
import { toMurError } from '../errors/index.js';
import { parseManifest, readManifestText } from '../manifest/index.js';
import { murVersion } from '../version.js';
import type { InstallFlags } from './install.js';
import type { InstallProgress } from './install-progress.js';
import type { InstallRef } from './install-ref.js';
import { type Found, fileArtifact, type InstallSources } from './install-sources.js';
import type { Installed, InstallTarget } from './install-target.js';
import type { InstallOutcome } from './install-view.js';

/** Downloads at once. */
const maxFetches = 4;

/** One thing to install. */
interface Job {
  readonly label: string;
  /** `undefined` when mur itself ships it. */
  readonly fetch: () => Promise<readonly Found[] | undefined>;
}

/** What `ref` asks for, one job per artifact that can be named before anything is fetched. */
export function jobsOf(
  ref: InstallRef,
  { allPlatforms }: InstallFlags,
  { root, target }: { readonly root: string | undefined; readonly target: InstallTarget },
  sources: () => InstallSources,
): readonly Job[] {
  const exact = (name: string, version: string): Job => ({
    label: `${name}@${version}`,
    fetch: async () => {
      const conflict = target.objectionToVersion(name, version);
      if (conflict !== undefined) throw conflict;
      const found = await sources().exact(name, version, (artifact) => target.objection(artifact));
      return found === undefined ? undefined : [found];
    },
  });
  switch (ref.kind) {
    case 'manifest':
      return declared(root!).map(({ name, version }) => exact(name, version));
    case 'exact': {
      const label = `${ref.name}@${ref.version}`;
      if (allPlatforms === true) return [{ label, fetch: () => sources().allPlatforms(ref.name, ref.version) }];
      return [exact(ref.name, ref.version)];
    }
    case 'latest':
      return [{ label: ref.name, fetch: async () => [await sources().latest(ref.name)] }];
    case 'release':
      return [{ label: `github:${ref.owner}/${ref.repo}@${ref.tag}`, fetch: () => sources().release(ref) }];
    case 'file':
      return [{ label: ref.path, fetch: async () => [await fileArtifact(ref.path)] }];
  }
}

/** What the project's manifest declares and does not read from a path. */
function declared(root: string): readonly { readonly name: string; readonly version: string }[] {
  const path = join(root, 'murmur.yaml');
  const { manifest } = parseManifest(readManifestText(path), { path, release: murVersion });
  return manifest.artifacts.filter(({ source }) => source === undefined);
}

/** The outcomes in the order of the jobs. Fetches overlap; storing and pinning never does. */
export async function runJobs(
  jobs: readonly Job[],
  target: InstallTarget,
  progress: InstallProgress,
): Promise<readonly InstallOutcome[]> {
  const outcomes = new Array<InstallOutcome>(jobs.length);
  const waiting = [...jobs.entries()];
  let turn: Promise<unknown> = Promise.resolve();
  const inTurn = (work: () => Promise<readonly Installed[]>) => {
    const mine = turn.then(work);
    turn = mine.catch(() => undefined);
    return mine;
  };
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [index, job] = next;
      outcomes[index] = await runJob(job, progress, (found) => inTurn(() => installEach(target, found)));
    }
  };
  await Promise.all(Array.from({ length: Math.min(maxFetches, jobs.length) }, work));
  return outcomes;
}

async function runJob(
  { label, fetch }: Job,
  progress: InstallProgress,
  install: (found: readonly Found[]) => Promise<readonly Installed[]>,
): Promise<InstallOutcome> {
  progress.set(label, `looking up ${label}`);
  try {
    const found = await fetch();
    return found === undefined
      ? { kind: 'shipped', label }
      : { kind: 'installed', label, installed: await install(found) };
  } catch (error) {
    return { kind: 'failed', label, error: toMurError(error) };
  } finally {
    progress.end(label);
  }
}

async function installEach(target: InstallTarget, found: readonly Found[]): Promise<readonly Installed[]> {
  const installed: Installed[] = [];
  for (const each of found) installed.push(await target.install(each));
  return installed;
}
