/** Turns the `respond` function of an author into the export of an HTTP driver. */
import { Failure } from '../lib/failure.js';
import { isObject, kind, parse } from '../lib/json.js';
import { driverFailure, passed, type ToolInput, type ToolResult } from '../lib/tool.js';
import { wellFormed } from '../lib/utf8.js';
import { settle } from './loop.js';

export function serve(respond: (request: unknown) => unknown): { run(call: ToolInput): ToolResult } {
  if (typeof respond !== 'function') throw new TypeError(`respond must be a function, got ${typeof respond}`);
  return {
    run(call) {
      try {
        const request = call.data === null ? undefined : parse(call.data);
        if (!isObject(request)) throw new Failure('the request must be a JSON object');
        return passed({ data: wellFormed(JSON.stringify(responseOf(settle(() => respond(request))))) });
      } catch (error) {
        const isKnown = error instanceof Failure;
        return driverFailure(
          wellFormed(isKnown || !(error instanceof Error) ? messageOf(error) : `${error.name}: ${error.message}`),
        );
      }
    },
  };
}

function responseOf(value: unknown): object {
  if (typeof value === 'string') return { stop_reason: 'end_turn', content: [{ type: 'text', text: value }] };
  if (isObject(value)) return value;
  throw new TypeError(`respond returned ${kind(value)}; return text, or { stop_reason, content, usage }`);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
