/** What `mur install` prints (spec/cli.md section 7). Pure: outcomes in, text out. */
import type { MurError } from '../errors/index.js';
import type { LockEntry } from '../lock/index.js';
import type { Installed } from './install-target.js';
import { errorText } from './output.js';
import { oneLine } from './safe-text.js';
import type { Style } from './style.js';

/** What came of one thing that was asked for. */
export type InstallOutcome =
  | { readonly kind: 'installed'; readonly label: string; readonly installed: readonly Installed[] }
  /** Every `mur` has it. */
  | { readonly kind: 'shipped'; readonly label: string }
  | { readonly kind: 'failed'; readonly label: string; readonly error: MurError };

export function outcomeLines(outcome: InstallOutcome): string[] {
  if (outcome.kind === 'failed') return [];
  if (outcome.kind === 'shipped') return [`${oneLine(outcome.label)} is part of mur, nothing to install`];
  return outcome.installed.flatMap((each) => {
    const label = labelOf(each);
    const where = each.isFromSource ? `from ${each.from}` : `-> ${each.path}`;
    const { adopted, replaced } = each;
    return [
      oneLine(`Installed ${label} ${where}`),
      ...(adopted === undefined
        ? []
        : [oneLine(`Adopted ${label} as operator-declared (it was pulled at runtime by session ${adopted.session})`)]),
      ...(replaced === undefined ? [] : repinLines(replaced, each)),
    ];
  });
}

function repinLines(replaced: LockEntry, { artifact: { meta, sha256, platform } }: Installed): string[] {
  const pins = 'any' in replaced.sha256 ? { any: replaced.sha256.any } : replaced.sha256.platforms;
  return [
    oneLine(`Replaced the pin of ${meta.name} in murmur.lock`),
    ...Object.entries(pins).map(([of, hash]) => `  was ${oneLine(`${replaced.resolvedVersion} ${of} ${hash}`)}`),
    `  is  ${oneLine(`${meta.version} ${platform ?? 'any'} ${sha256}`)}`,
  ];
}

/** What could not be installed, each with its whole error; empty when all could. */
export function failureText(outcomes: readonly InstallOutcome[], style: Style): string {
  const failed = outcomes.filter((outcome) => outcome.kind === 'failed');
  if (failed.length === 0) return '';
  const done = outcomes.flatMap((outcome) => (outcome.kind === 'installed' ? outcome.installed.map(labelOf) : []));
  const lines = failed.flatMap(({ label, error }) => [
    `  ${oneLine(label)}`,
    ...errorText(error, style)
      .trimEnd()
      .split('\n')
      .map((line) => `    ${line}`),
  ]);
  const summary = done.length === 0 ? [] : [oneLine(`installed ${done.join(', ')}`)];
  return ['', `${failed.length} of ${outcomes.length} artifact(s) failed to install:`, ...lines, ...summary, ''].join(
    '\n',
  );
}

export function installJson(outcomes: readonly InstallOutcome[]): Record<string, unknown> {
  return {
    installed: outcomes.flatMap((outcome) =>
      outcome.kind === 'installed' ? outcome.installed.map(installedJson) : [],
    ),
    shipped: outcomes.filter(({ kind }) => kind === 'shipped').map(({ label }) => label),
    failed: outcomes.flatMap((outcome) =>
      outcome.kind === 'failed' ? [{ artifact: outcome.label, error: outcome.error.toJSON() }] : [],
    ),
  };
}

function installedJson({ artifact, from, path, isPinned, adopted, replaced }: Installed): Record<string, unknown> {
  const { meta, sha256, platform } = artifact;
  return {
    name: meta.name,
    version: meta.version,
    platform: platform ?? null,
    sha256,
    from,
    path,
    pinned: isPinned,
    adopted_from: adopted?.session ?? null,
    replaced: replaced === undefined ? null : { version: replaced.resolvedVersion, sha256: replaced.sha256 },
  };
}

function labelOf({ artifact: { meta } }: Installed): string {
  return `${meta.name}@${meta.version}`;
}
