/** `context:` with its defaults filled in (spec/manifest.md section 9). */
export interface ContextConfig {
  readonly maxTokens?: number;
  readonly seedBudget: number;
  readonly seedOverflowMargin: number;
  readonly record: boolean;
  /** Absent means the capsule's name. */
  readonly recordStore?: string;
  readonly retain?: { readonly maxMessages?: number; readonly maxAgeSeconds?: number };
}
