import { Secret } from '../errors/index.js';
import { PieceRedactor, redactor } from '../inference/index.js';
import { looksLikeCredential } from '../policy/patterns.js';
import type { StageDraft } from '../stage/draft.js';

/** Shorter values are words of everyday text: replacing them would garble a log and hide nothing. */
const shortestSecret = 6;

/**
 * What one session holds, or has held, that nobody may read in its trace, its event log and its frames: the keys of its gateways, the
 * tokens of its door, and the values of host variables named like a credential, whether a guest was granted them or not. A key that rotates in is here before
 * it is used for the first time; one that rotated out stays, because what was said with it stays said.
 *
 * Does not find: a secret in a variable whose name reads like none; a text written down before it became a key.
 */
export class SessionSecrets {
  readonly #draft: StageDraft;
  readonly #keys = new Map<string, Secret>();
  readonly #named: readonly Secret[];
  #gateways = -1;
  #redact: (text: string) => string = (text) => text;
  #redactKeys: (text: string) => string = (text) => text;

  constructor(draft: StageDraft) {
    this.#draft = draft;
    this.#named = Object.entries(draft.request.hostEnv)
      .filter(([name]) => looksLikeCredential(name))
      .map(([, value = '']) => new Secret(value.trim()))
      .filter(isLong);
    this.learn();
  }

  all(): readonly Secret[] {
    this.#refresh();
    return [...this.#keys.values(), ...this.#named];
  }

  /** `text` with `[redacted]` in the place of each. */
  readonly redact = (text: string): string => {
    this.#refresh();
    return this.#redact(text);
  };

  /** The same for the keys of gateways alone: what a guest was granted it may say. */
  readonly redactKeys = (text: string): string => {
    this.#refresh();
    return this.#redactKeys(text);
  };

  /** What `redactKeys` does, for a text that comes in pieces. */
  redactPieces(): PieceRedactor {
    return new PieceRedactor({ values: () => this.#keys.keys(), redact: this.redactKeys });
  }

  /** Takes in what this session made itself. */
  keep(secrets: readonly Secret[]): void {
    for (const secret of secrets) this.#keys.set(secret.reveal(), secret);
    this.learn();
  }

  /** Takes in the keys as they are now. To be called when one has changed. */
  learn(): void {
    const { gateways } = this.#draft;
    this.#gateways = gateways.size;
    for (const { credential } of gateways.values()) {
      const key = credential.current();
      if (key !== undefined) this.#keys.set(key.reveal(), key);
    }
    const keys = [...this.#keys.values()];
    this.#redactKeys = redactor(keys);
    this.#redact = redactor([...keys.filter(isLong), ...this.#named]);
  }

  /** Gateways are there once staging has found them. */
  #refresh(): void {
    if (this.#draft.gateways.size !== this.#gateways) this.learn();
  }
}

const isLong = (secret: Secret): boolean => secret.reveal().length >= shortestSecret;
