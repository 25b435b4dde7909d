/** Pieces of canonical messages both surfaces need. Pure. */
import type { Block } from '../../lib/conversation.js';
import { isObject, string } from '../../lib/json.js';

/** The data URL of an image block, or `undefined` when it has no bytes. */
export function imageUrl(block: Block): string | undefined {
  if (block.type !== 'image' || !isObject(block.source)) return undefined;
  const { media_type, data } = block.source;
  return string(media_type) && string(data) ? `data:${media_type};base64,${data}` : undefined;
}

/** A call's arguments as the provider wants them: JSON text. A malformed call goes back as the model wrote it. */
export function argumentsOf(block: Block): string {
  return typeof block.input === 'string' ? block.input : JSON.stringify(block.input ?? {});
}

export function nonEmptyTexts(blocks: readonly Block[]): string[] {
  return blocks.flatMap((block) => (block.type === 'text' && string(block.text) ? [String(block.text)] : []));
}
