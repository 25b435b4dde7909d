/** Where a driver reports progress while it runs: the `murmur:stream/events` import. Never any tool input (spec: only its size). */
import events from 'murmur:stream/events@0.1.0';
import type { Sink } from './conversation.js';
import { wellFormed } from './utf8.js';

export const hostSink: Sink = {
  text: (chunk) => events.emitChunk(wellFormed(chunk)),
  thinking: (chunk) => events.emitThinkingChunk(wellFormed(chunk)),
  callStarted: (id, name) => events.toolCallStarted(wellFormed(id), wellFormed(name)),
  callBytes: (id, bytes) => events.toolCallInputBytes(wellFormed(id), bytes),
};
