import { isMurError, MurError } from '../errors/index.js';
import type { EffectiveConfig } from '../home/config.js';
import { credentialSource } from '../home/credential.js';
import type { RuntimeManifest } from '../manifest/index.js';
import type { CliContext } from './context.js';
import type { Block, Finding } from './doctor-block.js';
import type { Warning } from './output.js';

export interface EnvironmentFacts {
  /** With the project's `.env` under it. */
  readonly env: CliContext['env'];
  readonly config: Pick<EffectiveConfig, 'credentials'>;
  readonly configFile: string;
  /** Why the `.env` of the project was not read. */
  readonly envFileFault?: MurError;
}

interface Requirement {
  readonly name: string;
  readonly isSet: boolean;
  readonly capsule: string;
  readonly field: string;
}

/** The variables a run needs and whether it would find them, in the config file first and then in the environment. No value is kept. */
export function environmentBlock(
  manifest: RuntimeManifest,
  policySpawns: readonly string[],
  facts: EnvironmentFacts,
): Block {
  const requirements = requirementsOf(manifest, facts);
  const unset = requirements.filter(({ isSet }) => !isSet);
  const isShown = policySpawns.length > 0 || unset.length > 0;
  const names = [...new Set(unset.map(({ name }) => name))];
  return {
    key: 'environment',
    title: 'Environment requirements',
    lines: [
      ...(facts.envFileFault === undefined ? [] : [unusableEnvFile(facts.envFileFault)]),
      ...(isShown
        ? [
            ...(policySpawns.length === 0
              ? []
              : [
                  `capsules: ${policySpawns.join(', ')}`,
                  'could not inspect them: this version of mur delegates nothing yet, so what they need is not listed',
                ]),
            ...(requirements.length === 0 ? [] : ['variables:', ...requirements.map(row)]),
          ]
        : []),
    ],
    json: {
      env_file_problem: facts.envFileFault?.message ?? null,
      capsules: policySpawns,
      variables: requirements.map(({ name, isSet, capsule, field }) => ({ name, set: isSet, capsule, field })),
    },
    warnings: literalKeys(manifest, facts),
    errors: names.length === 0 ? [] : [unsetVariables(names)],
  };
}

function unusableEnvFile({ code, message, hint, details }: MurError): Finding {
  const { path, line } = (details ?? {}) as { readonly path?: string; readonly line?: number };
  return {
    level: 'error',
    code,
    text: path === undefined ? message : `${path}:${line}: ${message}`,
    details: ['none of its variables is counted here; mur run will refuse to start'],
    fix: hint ?? 'make .env a readable file, or remove it',
  };
}

function requirementsOf(
  { name: capsule, artifacts }: RuntimeManifest,
  { env, config }: EnvironmentFacts,
): Requirement[] {
  return artifacts.flatMap(({ index, gateway }) => {
    if (gateway?.apiKey?.kind !== 'reference') return [];
    const { name } = gateway.apiKey;
    const isSet = config.credentials.get(name) !== undefined || (env[name] ?? '').trim() !== '';
    return [{ name, isSet, capsule, field: `artifacts[${index}].gateway.api_key` }];
  });
}

function row({ name, isSet, capsule, field }: Requirement): Finding {
  const text = `${name}   ${isSet ? 'set' : 'unset'}   - ${capsule} (${field})`;
  if (isSet) return { level: 'note', text };
  return {
    level: 'error',
    code: 'E-CAP-014',
    text,
    fix: `set ${name} in the environment or in the project's .env, or mur config set -g credentials.${name} <value>`,
  };
}

function unsetVariables(names: readonly string[]): MurError {
  const count = names.length === 1 ? '1 variable' : `${names.length} variables`;
  return new MurError('E-CAP-014', `this project needs ${count} nothing in this environment sets: ${names.join(', ')}`);
}

/** What a launch would warn of about keys; a mode that is too wide is told of with the murmur home. */
function literalKeys({ artifacts }: RuntimeManifest, { env, configFile }: EnvironmentFacts): Warning[] {
  return artifacts.flatMap(({ name, gateway }) => {
    if (gateway === undefined) return [];
    try {
      const { warnings } = credentialSource(gateway.apiKey, { artifact: name, env, configFile });
      return warnings
        .filter(({ code }) => code === 'W-SEC-027')
        .map((each): Warning => ({ ...each, origin: 'runtime' }));
    } catch (error) {
      // A reference that leads nowhere has its row.
      if (isMurError(error)) return [];
      throw error;
    }
  });
}
