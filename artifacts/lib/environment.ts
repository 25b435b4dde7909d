/** The environment the runtime granted this call, as a map. */
import environment from 'wasj:cli/environment@0.2.9';

export function readEnvironment(): ReadonlyMap<string, string> {
  return new Map(environment.getEnvironment());
}
