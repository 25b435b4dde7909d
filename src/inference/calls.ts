import { randomBytes } from 'node:crypto';
import { cutCharacters } from '../task/text.js';
import type { CallRefusalKind, ToolCall } from '../tools/call.js';
import { type ContentBlock, isBlock } from './message.js';

export type MintCallId = () => string;

/** A call id no provider made: `call_mur_` + 24 hex digits. */
export function randomCallId(): string {
  return `call_mur_${randomBytes(12).toString('hex')}`;
}
