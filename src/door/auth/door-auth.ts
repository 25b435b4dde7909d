import type { Secret } from '../../errors/index.js';
import type { DoorAuthentication } from '../../manifest/index.js';
import { allScopes } from './scopes.js';
import { TokenKey } from './token.js';

const family = { tag: 'mdt1', domain: 'murmur-door-token-v1' } as const;

/** Who presented a valid token, and what it reaches. Scopes limit methods, not tasks. */
export interface Caller {
  readonly credential: string;
  readonly scopes: ReadonlySet<string>;
}

/** One minted token and the credential it is for. */
export interface DoorToken {
  readonly name: string;
  readonly token: Secret;
}

/** The name of the token every authenticated door has. It reaches every scope. */
export const operator = 'operator';

/**
 * The key and the tokens of one session's door (spec/door.md section 16). They are new with every launch, do not expire, and all end
 * with `erase`. The key is in this object only; the tokens are in the running record too.
 *
 * Does not stop: a program that can read the running record, which is one of this user.
 */
export class DoorAuth {
  /** The operator's first, then the declared credentials by name. */
  readonly tokens: readonly DoorToken[];
  readonly #key = new TokenKey();

  constructor({ credentials }: DoorAuthentication) {
    const declared = [...credentials].sort((a, b) => (a.name < b.name ? -1 : 1));
    this.tokens = [{ name: operator, scopes: allScopes }, ...declared].map(({ name, scopes }) => ({
      name,
      token: this.#key.mint(family, { credential: name, scopes }),
    }));
  }

  /** The operator's token. */
  get operator(): Secret {
    return this.tokens[0]!.token;
  }

  /** The tokens of the declared credentials, by name. */
  get credentials(): Readonly<Record<string, Secret>> {
    return Object.fromEntries(this.tokens.slice(1).map(({ name, token }) => [name, token]));
  }

  /** Whose token this is; `undefined` when this session did not mint it. Never throws. */
  callerOf(token: string): Caller | undefined {
    const opened = this.#key.open(family, token);
    return opened.ok ? readCaller(opened.payload) : undefined;
  }

  /** Zeroes the key, which revokes every token. */
  erase(): void {
    this.#key.erase();
  }
}

/** A scope this build does not know makes the token worthless: nobody can say what it was meant to reach. */
function readCaller(payload: unknown): Caller | undefined {
  const { credential, scopes } = payload as { readonly credential?: unknown; readonly scopes?: unknown };
  if (typeof credential !== 'string' || !Array.isArray(scopes)) return undefined;
  return scopes.every((scope) => allScopes.includes(scope)) ? { credential, scopes: new Set(scopes) } : undefined;
}
