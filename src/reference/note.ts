/** What a person should know about one key: the words of the published JSON Schema and of the reference page. */
export interface KeyNote {
  /** One line: what the key does. */
  readonly about: string;
  /** The value an absent key stands for. */
  readonly default?: unknown;
  /** The same in words, when it is no plain value. */
  readonly absent?: string;
  readonly isRequired?: true;
  /** What is refused, beyond the type. */
  readonly rules?: string;
  /** The code of a refusal, other than `E-MAN-002` for a wrong YAML type. */
  readonly code?: string;
  readonly examples?: readonly unknown[];
  /** Keywords of JSON Schema that say the rule to an editor. */
  readonly keywords?: Readonly<Record<string, unknown>>;
}

/** By dotted path: `artifacts[].name`, `network.authentication.credentials.*.scopes`. */
export type Notes = Readonly<Record<string, KeyNote>>;

/** A whole number above zero. */
export const aboveZero = { rules: 'above zero', code: 'E-MAN-003', keywords: { minimum: 1 } } as const;
/** A whole number that is not negative. */
export const notNegative = { rules: 'not negative', code: 'E-MAN-003', keywords: { minimum: 0 } } as const;
/** A list that must not be written empty. */
export const notEmpty = { rules: 'not empty', code: 'E-MAN-003', keywords: { minItems: 1 } } as const;

/** The same note with its words put together from the shared rule and its own. */
export function both(rule: Pick<KeyNote, 'rules' | 'code' | 'keywords'>, own: KeyNote): KeyNote {
  return { ...rule, ...own, keywords: { ...rule.keywords, ...own.keywords } };
}

/** One of some words, when the parser itself refuses the others by rule. */
export function oneOf(words: readonly string[]): Pick<KeyNote, 'rules' | 'code' | 'keywords'> {
  return { rules: `one of ${words.join(', ')}`, code: 'E-MAN-003', keywords: { enum: words } };
}
