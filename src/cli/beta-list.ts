import type { BetaListFlags } from './beta.js';
import { betaFeatures } from './beta-features.js';
import { enabledBetas } from './beta-gate.js';
import type { CliContext, ExitStatus } from './context.js';
import { oneLine } from './safe-text.js';
import { styleFor, wantsColor } from './style.js';

/** `mur beta list`: what this build knows, then names that are enabled and mean nothing to it. */
export async function listBetas(flags: BetaListFlags, context: CliContext): Promise<ExitStatus> {
  const { stdout, env } = context;
  const enabled = await enabledBetas(context);
  const known = Object.entries(betaFeatures).map(([name, { what, isBuilt }]) => ({
    name,
    enabled: enabled.has(name),
    built: isBuilt,
    what,
  }));
  const unknown = [...enabled].filter((name) => !Object.hasOwn(betaFeatures, name));
  const rows = [
    ...known,
    ...unknown.map((name) => ({ name, enabled: true, built: false, what: 'not known to this version' })),
  ];
  if (flags.json === true) {
    stdout.write(`${JSON.stringify(rows)}\n`);
    return 0;
  }
  if (rows.length === 0) {
    stdout.write('This build has no beta features.\n');
    return 0;
  }
  const style = styleFor(wantsColor({ isTerminal: stdout.isTerminal, env, noColor: !flags.color }));
  const widest = Math.max(...rows.map(({ name }) => oneLine(name).length));
  for (const { name, enabled, built, what } of rows) {
    const state = (enabled ? 'enabled' : 'disabled').padEnd(8);
    const note = built || what.startsWith('not known') ? '' : style.dim(' (not in this version yet)');
    stdout.write(
      `${oneLine(name).padEnd(widest)}  ${enabled ? style.green(state) : style.dim(state)}  ${what}${note}\n`,
    );
  }
  return 0;
}
