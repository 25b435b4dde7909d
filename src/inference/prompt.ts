import { MurError, reasonOf } from '../errors/index.js';
import type { PromptSource } from '../manifest/index.js';
import { sha256Hex } from '../text/index.js';

export interface PromptReaders {
  /** Text of a file, relative to the manifest's folder. Rejects when it cannot be read. */
  readFile(path: string): Promise<string>;
  /** Text of a staged skill artifact. Rejects when it is not staged. */
  readSkill(name: string): Promise<string>;
}

export interface ResolvedPrompt {
  /** `''` when there is none. */
  readonly text: string;
  /** `session_start.system_prompt_source`: `cli` even for an override that empties the prompt. */
  readonly source: 'manifest' | 'cli' | 'none';
  /** `session_start.system_prompt_sha256`: of `text`, before anything is put around it; null when it is empty. */
  readonly sha256: string | null;
}

/**
 * The session's prompt text (drivers.md 5.1): inline text trimmed, a file or artifact verbatim. `override` (from
 * `--system-prompt`) replaces all of them. Rejects with `E-RUN-009`, before any model call.
 */
export async function resolvePrompt(
  source: PromptSource | undefined,
  readers: PromptReaders,
  override?: string,
): Promise<ResolvedPrompt> {
  if (override !== undefined) return resolved(override, 'cli');
  if (source === undefined) return resolved('', 'none');
  switch (source.kind) {
    case 'text':
      return resolved(source.text.trim(), 'manifest');
    case 'file':
      return resolved(await read(`prompt file '${source.path}'`, () => readers.readFile(source.path)), 'manifest');
    case 'artifact':
      return resolved(await read(`prompt artifact '${source.name}'`, () => readers.readSkill(source.name)), 'manifest');
  }
}

function resolved(text: string, source: ResolvedPrompt['source']): ResolvedPrompt {
  return { text, source, sha256: text === '' ? null : sha256Hex(text) };
}

async function read(what: string, readText: () => Promise<string>): Promise<string> {
  try {
    return await readText();
  } catch (error) {
    throw new MurError('E-RUN-009', `${what} cannot be read: ${reasonOf(error)}`, { cause: error });
  }
}
