/**
 * What the model drivers share: settings from the environment, one POST, the checks around it. The provider's format is
 * given as a `Provider`. Not WASI (post.ts, sink.ts, environment.ts): this file is pure, so tests drive it directly.
 * Source: spec/drivers.md sections 3 and 11.
 */
import { errorText, type Part, parts } from './body.js';
import { type Answer, answered, DriverError, type Request, readRequest, type Sink } from './conversation.js';
import { isObject, type Json, type JsonObject, kind, parse } from './json.js';
import { driverFailure, type ToolResult } from './tool.js';
import type { Bytes } from './utf8.js';

export type Header = readonly [string, string];

export interface HttpResponse {
  readonly status: number;
  readonly body: Iterable<Bytes>;
}

/** The outside world of a driver call. */
export interface World {
  readonly environment: ReadonlyMap<string, string>;
  readonly sink: Sink;
  post(url: string, headers: readonly Header[], body: string): HttpResponse;
}

export interface Call {
  /** Path behind the endpoint, with its leading slash. */
  readonly path: string;
  readonly headers: readonly Header[];
  readonly body: JsonObject;
  /** Reads the answer. Reports progress to the sink as it comes. */
  read(parts: Iterable<Part>, sink: Sink): Answer;
}

/** One provider: how a request becomes a call. `key` is absent when the runtime gave none. */
export type Provider = (request: Request, config: JsonObject, key: string | undefined) => Call;

/** Runs one turn against `provider`. Every failure a person can act on becomes a failed result; a bug traps. */
export function converse(provider: Provider, data: string | null, world: World): ToolResult {
  try {
    const { environment } = world;
    const endpoint = (environment.get('MURMUR_INFERENCE_ENDPOINT') ?? '').trim().replace(/\/+$/, '');
    if (endpoint === '') {
      throw new DriverError(
        'MURMUR_INFERENCE_ENDPOINT is not set; give the driver a gateway with an endpoint in murmur.yaml',
      );
    }
    const key = environment.get('MURMUR_INFERENCE_API_KEY')?.trim() || undefined;
    const call = provider(readRequest(data), readConfig(environment), key);
    const response = world.post(endpoint + call.path, call.headers, JSON.stringify(call.body));
    if (response.status < 200 || response.status > 299) {
      throw new DriverError(`HTTP ${response.status}: ${errorText(response.body)}`);
    }
    return answered(call.read(parts(response.body), world.sink));
  } catch (error) {
    if (error instanceof DriverError) return driverFailure(error.message);
    throw error;
  }
}

/** The artifact's own config with the inference config laid over it, key by key. */
function readConfig(environment: ReadonlyMap<string, string>): JsonObject {
  const read = (name: string): JsonObject => {
    const text = environment.get(name);
    if (text === undefined || text.trim() === '') return {};
    const value = parse(text);
    if (isObject(value)) return value;
    throw new DriverError(`${name} must hold a JSON object, got ${value === undefined ? 'no JSON' : kind(value)}`);
  };
  return { ...read('MURMUR_ARTIFACT_CONFIG'), ...read('MURMUR_INFERENCE_DRIVER_CONFIG') };
}

/** Readers of config keys. Each throws `DriverError` with the key, the value and what was expected. */
export const setting = {
  known(config: JsonObject, keys: readonly string[]): void {
    const odd = Object.keys(config).find((key) => !keys.includes(key));
    if (odd !== undefined)
      throw new DriverError(`driver config: ${odd} is not a key; expected one of ${keys.join(', ')}`);
  },
  /** `true`/`false` and the words `enabled`/`disabled` mean the same. */
  flag(config: JsonObject, key: string, otherwise: boolean): boolean {
    const value = config[key];
    if (value === undefined || value === null) return otherwise;
    if (value === true || value === 'enabled') return true;
    if (value === false || value === 'disabled') return false;
    throw refused(key, value, 'enabled or disabled');
  },
  word(config: JsonObject, key: string): string | undefined {
    const value = config[key];
    if (value === undefined || value === null) return undefined;
    if (typeof value === 'string' && value !== '') return value;
    throw refused(key, value, 'a word');
  },
  count(config: JsonObject, key: string, otherwise: number): number {
    const value = config[key];
    if (value === undefined || value === null) return otherwise;
    if (typeof value === 'number' && Number.isInteger(value) && value > 0) return value;
    throw refused(key, value, 'a whole number above 0');
  },
};

export function refused(key: string, value: Json, expected: string): DriverError {
  return new DriverError(`driver config: ${key} must be ${expected}, got ${JSON.stringify(value)}`);
}

/** `body` with the keys of `params` it does not set itself. */
export function withParams(body: JsonObject, params: JsonObject, dropped: ReadonlySet<string> = new Set()): JsonObject {
  const extra = Object.entries(params).filter(([key]) => !(key in body) && !dropped.has(key));
  return { ...body, ...Object.fromEntries(extra) };
}
