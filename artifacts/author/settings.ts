/** What the capsule hands to an artifact: the variables it allows, and the artifact's `config:` block. */
import { readEnvironment } from '../lib/environment.js';
import { Failure } from '../lib/failure.js';
import { isObject, type JsonObject, parse } from '../lib/json.js';

/** A variable the capsule allows, or `undefined`. */
export function env(name: string): string | undefined {
  return readEnvironment().get(name);
}

/** The `config:` block of the artifact's entry in the capsule manifest; `{}` when it has none. */
export function config(): JsonObject {
  return read('MURMUR_ARTIFACT_CONFIG');
}

/** The same with `inference.driver.config` laid over it. */
export function driverConfig(): JsonObject {
  return { ...config(), ...read('MURMUR_INFERENCE_DRIVER_CONFIG') };
}

function read(name: string): JsonObject {
  const text = env(name);
  if (text === undefined || text.trim() === '') return {};
  const value = parse(text);
  if (isObject(value)) return value;
  throw new Failure(`${name} must hold a JSON object`);
}
