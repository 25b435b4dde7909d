import { present } from './present.js';
import type { Fault } from './report.js';
import { scopeWords } from './scope-words.js';
import { block, integer, named, text, texts, z } from './shape.js';

/** `network`: the capsule's own door. */
export const networkShape = block({
  internal_port: integer(),
  authentication: block({ scheme: text(), credentials: named(z.object({ scopes: texts() })) }),
});

/** `network:`, the capsule's own door (spec/manifest.md section 7). Unrelated to `capabilities.network`. */
export interface NetworkConfig {
  /** Absent lets the host pick a free port. */
  readonly internalPort?: number;
  /** Absent is a public door. */
  readonly authentication?: DoorAuthentication;
}

export interface DoorAuthentication {
  readonly scheme: 'bearer';
  /** In the order declared. Scopes in their method spelling, `message/send`. */
  readonly credentials: readonly { readonly name: string; readonly scopes: readonly string[] }[];
}

type RawNetwork = z.infer<typeof networkShape>;

/** `delegates` is true when the capsule may spawn: a locked door and delegation exclude each other. */
export function readNetwork(raw: RawNetwork, delegates: boolean, fault: Fault): NetworkConfig {
  const port = raw?.internal_port ?? undefined;
  if (port !== undefined && (port < 0 || port > 65_535)) {
    throw fault(['network', 'internal_port'], `${port} is no port; expected 0 to 65535`);
  }
  const authentication = raw?.authentication ? readAuthentication(raw.authentication, fault) : undefined;
  if (authentication !== undefined && delegates) {
    throw fault(['network', 'authentication'], 'cannot be combined with a non-empty capabilities.spawn.allow');
  }
  // Port 0 is the customary way to ask the host for a free one, which absence already says.
  return present({ internalPort: port === 0 ? undefined : port, authentication });
}

function readAuthentication(
  raw: NonNullable<NonNullable<RawNetwork>['authentication']>,
  fault: Fault,
): DoorAuthentication {
  const path = ['network', 'authentication'];
  if (raw.scheme !== 'bearer') {
    throw fault([...path, 'scheme'], raw.scheme ? `unknown value '${raw.scheme}'; expected: bearer` : 'must be bearer');
  }
  const credentials = Object.entries(raw.credentials ?? {}).map(([name, { scopes }]) => {
    const at = [...path, 'credentials', name];
    if (!/^[a-z][a-z0-9_-]{0,31}$/.test(name)) {
      throw fault(at, 'a credential name is a lowercase letter and up to 31 of a-z, 0-9, "_" and "-"');
    }
    if (name === 'operator') throw fault(at, "'operator' is the name of the token that is always minted");
    return { name, scopes: readScopes(scopes ?? [], [...at, 'scopes'], fault) };
  });
  return { scheme: 'bearer', credentials };
}

function readScopes(words: readonly string[], path: readonly string[], fault: Fault): readonly string[] {
  if (words.length === 0) throw fault(path, 'must name at least one scope');
  if (new Set(words).size !== words.length) throw fault(path, 'must not repeat a scope');
  const scopes = words.map((word, index) => {
    if (Object.hasOwn(scopeWords, word)) return scopeWords[word]!;
    const known = Object.keys(scopeWords).filter((name) => name.includes('/'));
    throw fault([...path, index], `unknown scope '${word}'; expected one of: ${known.join(', ')}`);
  });
  return [...new Set(scopes)];
}
