import { MurError } from '../errors/index.js';
import { locateConfig, readConfigFile } from '../home/config.js';
import { withItem, withoutItem } from '../home/config-edit.js';
import { nearestKey } from '../manifest/suggest.js';
import type { BetaSetFlags } from './beta.js';
import { betaFeatures } from './beta-features.js';
import { editConfig, globalName } from './config-file.js';
import type { CliContext, ExitStatus } from './context.js';
import { warningLine } from './output.js';
import { oneLine } from './safe-text.js';
import { styleFor, wantsColor } from './style.js';

const key = ['beta', 'enabled'] as const;

/** `mur beta enable` and `mur beta disable`: the global file, whatever the project says. A name nobody knows is saved. */
export async function setBeta(
  verb: 'enable' | 'disable',
  flags: BetaSetFlags,
  context: CliContext,
): Promise<ExitStatus> {
  const { stdout, stderr, env } = context;
  const feature = flags.feature.trim();
  if (!/^[\w.-]{1,100}$/.test(feature)) {
    throw new MurError('E-CFG-002', `'${oneLine(feature)}' is no name of a feature`, {
      hint: 'mur beta list shows them',
    });
  }
  const style = styleFor(wantsColor({ isTerminal: stderr.isTerminal, env, noColor: !flags.color }));
  const warn = (message: string) => stderr.write(`${warningLine({ code: '', message, origin: 'cli' }, style)}\n`);
  if (!Object.hasOwn(betaFeatures, feature)) {
    const near = nearestKey(feature, Object.keys(betaFeatures));
    warn(`this version knows no feature '${feature}'${near === undefined ? '' : `; did you mean ${near}?`}`);
  }
  const change = verb === 'enable' ? withItem : withoutItem;
  // Without a global file nothing is enabled in it, and none has to be made to say so.
  const paths = locateConfig(env);
  const isMissing = verb === 'disable' && readConfigFile(paths.global) === undefined;
  const isChanged =
    !isMissing && (await editConfig('global', context, (text, path) => change(text, key, feature, path))).isChanged;
  if (
    verb === 'disable' &&
    paths.project !== paths.global &&
    readConfigFile(paths.project)?.betaEnabled.includes(feature)
  ) {
    warn(`${feature} stays enabled in this folder: ${oneLine(paths.project)} enables it`);
  }
  if (flags.json === true)
    stdout.write(`${JSON.stringify({ feature, enabled: verb === 'enable', changed: isChanged })}\n`);
  else if (isChanged) stdout.write(`${verb === 'enable' ? 'Enabled' : 'Disabled'} ${feature} in ${globalName}\n`);
  else stdout.write(`${feature} is already ${verb}d.\n`);
  return 0;
}
