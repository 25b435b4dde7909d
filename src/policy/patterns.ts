/**
 * Names that hold credentials. The first list is always removed from what a guest or command sees; the second rule only
 * warns, because a longer removal list would break capsules that run today (spec/shell.md section 4.4).
 */
export const credentialPatterns: readonly string[] = [
  'ANTHROPIC_API_KEY',
  'OPENAI_API_KEY',
  'GOOGLE_API_KEY',
  'HUGGING_FACE_HUB_TOKEN',
  'NEXUS_API_KEY',
  'AWS_*',
  'GITHUB_TOKEN',
  'GH_TOKEN',
  'DOCKER_*',
  'KUBECONFIG',
  'NPM_TOKEN',
  'PYPI_TOKEN',
  'CARGO_REGISTRY_TOKEN',
  '*_API_KEY',
];

/** True when `name` fits `pattern`: exact, `prefix*`, `*suffix` or `*middle*`; case counts, other stars are literal. */
export function matchesPattern(pattern: string, name: string): boolean {
  const open = pattern.startsWith('*');
  const close = pattern.endsWith('*') && pattern.length > 1;
  const core = pattern.slice(open ? 1 : 0, close ? -1 : undefined);
  if (open && close) return name.includes(core);
  if (open) return name.endsWith(core);
  return close ? name.startsWith(core) : name === pattern;
}

/** The rule that keeps `name` from every guest; `undefined` when none does. */
export function stripRule(
  name: string,
  stripEnv: readonly string[],
): { readonly pattern: string; readonly source: 'credential backstop' | 'strip_env' } | undefined {
  const backstop = credentialPatterns.find((pattern) => matchesPattern(pattern, name));
  if (backstop !== undefined) return { pattern: backstop, source: 'credential backstop' };
  const own = stripEnv.find((pattern) => matchesPattern(pattern, name));
  return own === undefined ? undefined : { pattern: own, source: 'strip_env' };
}

const secretWord = /api_key|token|secret|password/i;
const secretSegments = new Set(
  'KEY KEYS PASS PASSWD PASSPHRASE CREDENTIAL CREDENTIALS CREDS DSN AUTH PAT COOKIE'.split(' '),
);

/** True when a name reads like a secret's (spec/config.md section 11). Judged by the name alone. */
export function looksLikeCredential(name: string): boolean {
  if (secretWord.test(name)) return true;
  return name.split(/[^A-Za-z0-9]+/).some((segment) => secretSegments.has(segment.toUpperCase()));
}
