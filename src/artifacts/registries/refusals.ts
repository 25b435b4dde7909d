import { MurError } from '../../errors/index.js';

/** What one source said: no, or nothing that settles it. */
export interface Refusal {
  readonly place: string;
  readonly reason: string;
  readonly isNo: boolean;
}

/**
 * The error of a search that found nothing. "No" is said only when every source said it (`E-REG-001`); one that did not answer leaves
 * it open (`E-REG-006`), so that nobody takes a rate limit for a missing artifact.
 */
export function notResolved(label: string, refusals: readonly Refusal[]): MurError {
  const lines = refusals.map(({ place, reason }) => `\n  ${place} - ${reason}`).join('');
  const open = refusals.find(({ isNo }) => !isNo);
  if (open !== undefined) {
    const why = `${open.place} did not answer`;
    const message = `could not look up '${label}': ${why}, so whether a source publishes the artifact is not known`;
    return new MurError('E-REG-006', `${message}${lines}`, {
      // A server that answered may want to know who asks; one that was not reached wants a connection.
      hint: open.reason.startsWith('request failed')
        ? 'check the connection of this machine, then try again'
        : 'set GITHUB_TOKEN, or token: of the source, or try again later',
    });
  }
  if (refusals.length === 0) {
    return new MurError('E-REG-001', `could not resolve '${label}': no source is configured`, {
      hint: 'add registry.sources to ~/.murmur/config.yaml',
    });
  }
  return new MurError('E-REG-001', `could not resolve '${label}'${lines}`, {
    hint: 'check the name and the version, or add a source to registry.sources in ~/.murmur/config.yaml',
  });
}
