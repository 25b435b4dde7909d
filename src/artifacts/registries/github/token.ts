import { Secret } from '../../../errors/index.js';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The token a GitHub source is asked with: its own, else `GITHUB_TOKEN` (spec/artifacts.md section 8.4). Its own is `${VAR}`, the name
 * of a variable that is set, or the token itself (spec/config.md section 2). An empty variable counts as unset.
 */
export function githubToken(written: Secret | undefined, env: Environment): Secret | undefined {
  const text = written?.reveal().trim() ?? '';
  const variable = /^\$\{([^}]*)\}$/.exec(text)?.[1];
  const value = variable === undefined ? variableIn(text, env) || text : variableIn(variable, env);
  const token = value || variableIn('GITHUB_TOKEN', env);
  return token ? new Secret(token) : undefined;
}

function variableIn(name: string, env: Environment): string | undefined {
  return Object.hasOwn(env, name) ? env[name]?.trim() : undefined;
}
