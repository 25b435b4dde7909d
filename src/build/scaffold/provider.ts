import { MurError } from '../../errors/index.js';
import { endpointProblem } from '../../manifest/index.js';

/** What a generated agent asks: its driver, where, which model, and the variable with the key. */
export interface Provider {
  readonly driver: string;
  readonly endpoint: string;
  readonly model: string;
  readonly key: string;
}

/** `inference:` of the global config file; texts that are absent are empty. */
export interface ProviderSettings {
  readonly provider: string;
  readonly endpoint: string;
  readonly model: string;
}

const providers: Readonly<Record<string, Provider>> = {
  anthropic: {
    driver: 'mur-driver-anthropic',
    endpoint: 'https://api.anthropic.com',
    model: 'claude-haiku-4-5-20251001',
    key: 'ANTHROPIC_API_KEY',
  },
  openai: {
    driver: 'mur-driver-openai',
    endpoint: 'https://api.openai.com/v1',
    model: 'gpt-5.6-luna',
    key: 'OPENAI_API_KEY',
  },
};

/** The provider that new agents ask (spec/cli.md section 4.1). Throws `E-NEW-004` and `E-MAN-003`. */
export function providerOf(settings: ProviderSettings): Provider {
  const name = settings.provider === '' ? 'anthropic' : settings.provider;
  const provider = Object.hasOwn(providers, name) ? providers[name] : undefined;
  if (provider === undefined) {
    throw new MurError(
      'E-NEW-004',
      `inference.provider of the global config is '${name}'; expected anthropic or openai`,
      {
        hint: 'mur config set inference.provider anthropic',
      },
    );
  }
  const problem = settings.endpoint === '' ? undefined : endpointProblem(settings.endpoint);
  if (problem !== undefined) {
    throw new MurError('E-MAN-003', `the global config: inference.endpoint ${problem.shown} ${problem.why}`);
  }
  return {
    ...provider,
    ...(settings.endpoint === '' ? {} : { endpoint: settings.endpoint }),
    ...(settings.model === '' ? {} : { model: settings.model }),
  };
}
