import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { resolve as resolvePath } from 'node:path';
import type { ResolvedArtifact } from '../artifacts/index.js';
import { MurError } from '../errors/index.js';
import { credentialSource } from '../home/credential.js';
import { resolveLimits, resolvePrompt } from '../inference/index.js';
import type { Gateway } from '../manifest/index.js';
import { type GatewayPlan, needed, type StageDraft } from './draft.js';

/** Checks that driver, gateways, keys, limits and prompt fit together, before anything is compiled (spec/session.md 4.1 step 9). */
export async function check(draft: StageDraft): Promise<void> {
  const { request } = draft;
  const resolved = needed(draft.resolved, 'resolve');
  const driver = findDriver(draft, resolved);
  draft.gateways = new Map(
    resolved.flatMap((artifact) => {
      const plan = planGateway(draft, artifact, artifact === driver);
      return plan === undefined ? [] : [[artifact.name, plan] as const];
    }),
  );
  if (request.inference === undefined || driver === undefined) return;
  requireGateway(draft, driver);
  const { limits, warnings } = resolveLimits({
    model: request.inference.model,
    driver: driver.name,
    table: driver.manifest.models,
    maxTokens: request.inference.maxTokens,
    contextMaxTokens: request.context.maxTokens,
  });
  for (const warning of warnings) draft.warn(warning.code, warning.message);
  draft.limits = limits;
  draft.systemPrompt = await resolvePrompt(
    request.inference.systemPrompt,
    {
      readFile: async (path) =>
        request.readCapsuleFile === undefined
          ? readFile(resolvePath(request.manifestDir, path), 'utf8')
          : Buffer.from(await request.readCapsuleFile(path)).toString('utf8'),
      readSkill: async (name) => skillText(resolved, name),
    },
    request.systemPromptOverride,
  );
}

function findDriver(draft: StageDraft, resolved: readonly ResolvedArtifact[]): ResolvedArtifact | undefined {
  const { inference } = draft.request;
  if (inference === undefined) return undefined;
  const name = inference.driver.artifact;
  const driver = resolved.find(({ entry }) => entry.name === name || entry.toolName === name);
  if (driver === undefined) {
    throw new MurError('E-RUN-005', `inference driver '${name}' is not declared in artifacts`, {
      hint: `add an artifacts entry with name: ${name} and runtime: driver`,
    });
  }
  if (driver.role !== 'driver') {
    throw new MurError(
      'E-RUN-029',
      `inference.driver.artifact names '${name}', which is staged as a ${driver.role}, not as a driver`,
    );
  }
  return driver;
}

/** Only a driver that says it needs no upstream may go without a gateway (`needs_gateway: false`, ours). */
function requireGateway(draft: StageDraft, driver: ResolvedArtifact): void {
  if (draft.gateways.has(driver.name) || !driver.manifest.needsGateway) return;
  throw new MurError(
    'E-MAN-003',
    `murmur.yaml: invalid artifact declaration at index ${driver.entry.index}: driver '${driver.entry.name}' declares no gateway.endpoint, so it has nowhere to send a request`,
    { hint: 'add gateway: with endpoint: and api_key: (or keyless: true) to that entry' },
  );
}

function planGateway(draft: StageDraft, artifact: ResolvedArtifact, isDriver: boolean): GatewayPlan | undefined {
  const gateway = artifact.entry.gateway;
  if (gateway === undefined) return undefined;
  if (artifact.payload.kind === 'native') {
    throw new MurError(
      'E-CAP-017',
      `artifact '${artifact.entry.name}' declares 'gateway:' but ships a native implementation, which no gateway is between the network and`,
      { hint: `remove gateway: from its entry; a WASM implementation can have one` },
    );
  }
  const auth = artifact.manifest.upstreamAuth;
  if (auth === undefined && gateway.declaredBy === 'gateway') {
    const problem = artifact.manifest.upstreamAuthProblem;
    throw new MurError(
      'E-RUN-025',
      `artifact '${artifact.fullName}@${artifact.version}' declares no usable upstream_auth: block${problem === undefined ? '' : ` (${problem})`}`,
      { hint: 'use a version of the artifact that declares upstream_auth:, or drop gateway: from its entry' },
    );
  }
  const { credential, warnings } = credentialSource(gateway.apiKey, {
    artifact: artifact.entry.name,
    env: draft.request.hostEnv,
    onChange: (change) =>
      draft.onCredentialChange(artifact.name, gateway.apiKey?.kind === 'reference' ? gateway.apiKey.name : '', change),
    ...(draft.request.credentialsFile === undefined ? {} : { configFile: draft.request.credentialsFile }),
  });
  for (const warning of warnings) draft.warn(warning.code, warning.message);
  return { credential, route: routeOf(gateway, auth, credential, isDriver) };
}

function routeOf(
  gateway: Gateway,
  auth: ResolvedArtifact['manifest']['upstreamAuth'],
  credential: GatewayPlan['credential'],
  isDriver: boolean,
): GatewayPlan['route'] {
  const upstream = new URL(gateway.endpoint);
  return {
    endpointPath: upstream.pathname.replace(/\/+$/, ''),
    upstream,
    ...(auth === undefined ? {} : { auth }),
    ...(isDriver && credential.source !== 'keyless'
      ? { placeholder: `mur-key-${randomBytes(16).toString('hex')}` }
      : {}),
    credential,
  };
}

function skillText(resolved: readonly ResolvedArtifact[], name: string): string {
  const artifact = resolved.find(({ entry }) => entry.name === name || entry.toolName === name);
  if (artifact?.payload.kind !== 'skill') throw new Error('it is not a staged skill');
  return artifact.payload.text;
}
