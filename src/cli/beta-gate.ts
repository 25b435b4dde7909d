/** Whether a beta feature may be used here. Reads the configuration only when there is any, so that `mur help` stays instant. */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { MurError } from '../errors/index.js';
import { type BetaFeature, betaFeatures } from './beta-features.js';
import type { CliContext } from './context.js';

/** The features that are enabled for a command in this folder. Throws `E-IO-003` for a config file that cannot be used. */
export async function enabledBetas({ env }: Pick<CliContext, 'env'>): Promise<ReadonlySet<string>> {
  const user = env.HOME || env.USERPROFILE || '/';
  const files = [join(user, '.murmur', 'config.yaml'), resolve('.murmur', 'config.yaml')];
  if (!files.some((path) => existsSync(path))) return new Set();
  const { locateConfig, readConfig } = await import('../home/config.js');
  return new Set(readConfig(locateConfig(env)).betaEnabled);
}

/** Throws `E-CFG-901` when `feature` is not enabled, and `E-CFG-902` when this version does not have it. `what` wants it. */
export async function requireBeta(feature: BetaFeature, what: string, context: Pick<CliContext, 'env'>): Promise<void> {
  if (!(await enabledBetas(context)).has(feature)) {
    throw new MurError('E-CFG-901', `${what} is a beta feature that is not enabled`, {
      hint: `mur beta enable ${feature}`,
    });
  }
  if (!betaFeatures[feature].isBuilt) {
    throw new MurError('E-CFG-902', `${what} is enabled, but this version of mur does not have it yet`, {
      hint: 'nothing was done; mur beta list says what this version has',
    });
  }
}
