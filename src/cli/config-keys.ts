/** What a key of `mur config` may be. */
import { MurError } from '../errors/index.js';
import { credentialName } from '../home/config-parse.js';
import { nearestKey } from '../manifest/suggest.js';

/** The keys that `mur config set` writes, beside `credentials.<NAME>`. */
export const settableKeys = [
  'registry.default',
  'registry.index_url',
  'inference.provider',
  'inference.model',
  'inference.endpoint',
  'inference.api_key',
] as const;

export interface SettableKey {
  readonly path: readonly [block: string, name: string];
  readonly isCredential: boolean;
}

/** `written` as a key that can be set, in the global file or in the project's. Throws `E-CFG-002`; its hint never holds a value. */
export function settableKey(written: string, isGlobal: boolean): SettableKey {
  const [block = '', ...rest] = written.split('.');
  const name = rest.join('.');
  if (block === 'credentials' && name !== '') {
    if (!credentialName.test(name)) {
      const near = name.toUpperCase().replace(/[^A-Z0-9_]/g, '_');
      throw new MurError(
        'E-CFG-002',
        `'${written}' is no name of a credential: capital letters, digits and _, no digit first`,
        credentialName.test(near) ? { hint: `mur config set -g credentials.${near} <value>` } : {},
      );
    }
    if (!isGlobal) {
      throw new MurError('E-CFG-002', `'${written}' can only be set in the global config`, {
        hint: `mur config set -g ${written} <value>`,
      });
    }
    return { path: [block, name], isCredential: true };
  }
  if (!(settableKeys as readonly string[]).includes(written)) throw unsupported(written, settableKeys);
  return { path: [block, name], isCredential: false };
}

/** The error for a key that is none of `known`. */
export function unsupported(written: string, known: readonly string[]): MurError {
  const near = nearestKey(written, known);
  const advice = near === undefined ? '' : `did you mean ${near}? `;
  return new MurError('E-CFG-002', `unsupported config key '${written}'`, {
    hint: `${advice}keys: ${[...known, 'credentials.<NAME>'].join(', ')}`,
  });
}
