/** Turns the `run` function of an author into the export of a tool. */
import { Failure } from '../lib/failure.js';
import { isObject, kind, parse } from '../lib/json.js';
import { failed, type Metadata, passed, type ToolInput, type ToolResult } from '../lib/tool.js';
import { wellFormed } from '../lib/utf8.js';
import { Answer } from './answer.js';
import { settle } from './loop.js';

export function serve(run: (input: unknown) => unknown): { run(call: ToolInput): ToolResult } {
  if (typeof run !== 'function') throw new TypeError(`run must be a function, got ${typeof run}`);
  return {
    run(call) {
      try {
        return resultOf(settle(() => run(inputOf(call.data))));
      } catch (error) {
        if (error instanceof Failure) return failed(wellFormed(error.message));
        return { ...failed(wellFormed(told(error))), status: 'error' };
      }
    },
  };
}

function inputOf(data: string | null): unknown {
  if (data === null || data.trim() === '') return {};
  const input = parse(data);
  if (isObject(input)) return input;
  throw new Failure(`the input must be a JSON object, got ${input === undefined ? 'no JSON' : kind(input)}`);
}

function resultOf(value: unknown): ToolResult {
  const { data, details } = value instanceof Answer ? value : new Answer(value, {});
  const text = textOf(data);
  const metadata: Metadata = [
    ...(details.effect === undefined ? [] : [['state_effect', details.effect] as const]),
    ...(details.resource === undefined ? [] : [['resource_id', wellFormed(details.resource)] as const]),
  ];
  const summary = details.summary ?? (text === null ? 'done' : undefined);
  return passed({
    ...(text === null ? {} : { data: wellFormed(text) }),
    ...(summary === undefined ? {} : { summary: wellFormed(summary) }),
    truncated: details.truncated === true,
    metadata,
  });
}

function textOf(data: unknown): string | null {
  if (data === undefined || data === null) return null;
  if (typeof data === 'string') return data;
  const text = JSON.stringify(data);
  if (text === undefined)
    throw new TypeError(`run returned ${typeof data}; return text, or a value that JSON can hold`);
  return text;
}

function told(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}
