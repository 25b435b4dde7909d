import { MurError, type Secret } from '../../../errors/index.js';
import type { PackedArtifact } from '../../describe.js';
import { ceilingHint } from '../download/ceiling.js';
import { downloadCeiling } from '../download/index.js';
import type { Fetched } from '../types.js';
import { openFetched, type Wanted } from '../verify.js';
import type { Choice } from './asset.js';
import type { GitHubClient } from './client.js';

/** At once: enough to hide the waiting, few enough to share a line. */
const lanes = 4;

export interface FetchJob {
  /** Where they come from; safe to print. */
  readonly from: string;
  readonly choices: readonly Choice[];
  readonly token: Secret | undefined;
  /** What each of them must be. */
  readonly wanted: Omit<Wanted, 'platform'>;
}

/** Every chosen asset, verified, in order. All or none: the first failure is thrown. Together they are held to one ceiling. */
export async function fetchAssets(client: GitHubClient, job: FetchJob): Promise<readonly Fetched[]> {
  const { from, choices } = job;
  const limitBytes = downloadCeiling(client.context.env);
  let totalBytes = choices.reduce((sum, { asset }) => sum + (asset.sizeBytes ?? 0), 0);
  const check = (): void => {
    if (totalBytes <= limitBytes) return;
    throw new MurError('E-IO-003', `the archives of ${from} exceed ${limitBytes} bytes together`, {
      hint: ceilingHint,
    });
  };
  check();
  const fetched: Fetched[] = new Array(choices.length);
  let next = 0;
  let failed = false;
  const lane = async (): Promise<void> => {
    while (next < choices.length && !failed) {
      const at = next++;
      try {
        const artifact = await fetchOne(client, job, choices[at]!);
        if (choices[at]!.asset.sizeBytes === undefined) totalBytes += artifact.bytes.length;
        check();
        fetched[at] = { artifact, from };
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  const ended = await Promise.allSettled(Array.from({ length: Math.min(lanes, choices.length) }, lane));
  const failure = ended.find((each) => each.status === 'rejected');
  if (failure !== undefined) throw failure.reason;
  return fetched;
}

async function fetchOne(client: GitHubClient, job: FetchJob, choice: Choice): Promise<PackedArtifact> {
  const { asset, platform } = choice;
  const bytes = await client.bytes(asset, job.token);
  return openFetched(bytes, `${job.from}/${asset.name}`, {
    ...job.wanted,
    ...(platform === undefined ? {} : { platform }),
  });
}
