import { trimmed } from './present.js';
import type { Fault } from './report.js';
import type { Path } from './tree.js';

/** Where a prompt comes from. A `text` of the main prompt is trimmed, one of compaction verbatim. */
export type PromptSource =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'artifact'; readonly name: string };

interface RawPrompt {
  readonly system_prompt?: string | null | undefined;
  readonly system_prompt_file?: string | null | undefined;
  readonly system_prompt_artifact?: string | null | undefined;
}

/** The one prompt source of `inference`; several are refused. */
export function readMainPrompt(raw: RawPrompt, path: Path, fault: Fault): PromptSource | undefined {
  const text = trimmed(raw.system_prompt);
  const file = trimmed(raw.system_prompt_file);
  const artifact = trimmed(raw.system_prompt_artifact);
  if ([text, file, artifact].filter((source) => source !== undefined).length > 1) {
    const message = 'at most one of system_prompt, system_prompt_file, system_prompt_artifact may be set';
    throw fault([...path, 'system_prompt'], message);
  }
  if (text !== undefined) return { kind: 'text', text };
  if (file !== undefined) return { kind: 'file', path: file };
  return artifact === undefined ? undefined : { kind: 'artifact', name: artifact };
}

/** The prompt of `inference.compaction`: inline and verbatim, or a file. */
export function readCompactionPrompt(raw: RawPrompt, path: Path, fault: Fault): PromptSource | undefined {
  const text = trimmed(raw.system_prompt) === undefined ? undefined : (raw.system_prompt ?? undefined);
  const file = trimmed(raw.system_prompt_file);
  if (text !== undefined && file !== undefined) {
    throw fault([...path, 'system_prompt'], 'at most one of system_prompt, system_prompt_file may be set');
  }
  if (text !== undefined) return { kind: 'text', text };
  return file === undefined ? undefined : { kind: 'file', path: file };
}
