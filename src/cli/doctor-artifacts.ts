/**
 * The checklist: each declared artifact as a run would take it, from the lock to the interfaces of its component, and what a session
 * pulled besides. Compiles nothing, and leaves out nothing that a run refuses before it compiles.
 */
import {
  type ArtifactStore,
  findStored,
  hostPlatform,
  nativePlatformOf,
  programOf,
  type StoredArtifact,
} from '../artifacts/index.js';
import { readSource } from '../artifacts/source.js';
import { openStored } from '../artifacts/stored.js';
import { isMurError, toMurError } from '../errors/index.js';
import type { Lock, LockEntry } from '../lock/index.js';
import type { ArtifactEntry, RuntimeManifest } from '../manifest/index.js';
import type { CapabilityPolicy } from '../policy/index.js';
import type { NativeReach } from '../stage/containment.js';
import { operatorRole } from '../stage/lock.js';
import type { Finding } from './doctor-block.js';
import { componentFinding } from './doctor-component.js';
import { nativeFinding, platformOf, untaggedFinding } from './doctor-native.js';

export interface ChecklistInput {
  readonly manifest: RuntimeManifest;
  readonly manifestDir: string;
  /** Of the manifest. */
  readonly policy: CapabilityPolicy;
  /** In the order a run asks them. */
  readonly stores: readonly ArtifactStore[];
  readonly lock: Lock | undefined;
  /** The native tools among them, with what each needs of this host. */
  readonly natives: readonly NativeReach[];
}

/** One finding per declared artifact, in manifest order, then what is pinned from a session's pull and not declared. */
export async function checklist(input: ChecklistInput): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const entry of input.manifest.artifacts) findings.push(await check(entry, input));
  const declared = new Set(input.manifest.artifacts.map(({ name }) => name));
  const pulled = (input.lock?.artifacts ?? []).filter(
    ({ origin, name }) => origin === 'runtime' && !declared.has(name),
  );
  return [
    ...findings,
    ...pulled.map(
      ({ name, resolvedVersion, session }): Finding => ({
        level: 'note',
        text: `${name}@${resolvedVersion} pulled at runtime by session ${session ?? '(unknown)'} - not declared in murmur.yaml`,
      }),
    ),
  ];
}

async function check(entry: ArtifactEntry, input: ChecklistInput): Promise<Finding> {
  const label = `${entry.name}@${entry.version}`;
  try {
    if (entry.source !== undefined) return checkSource(entry, input);
    const stored = await findStored(input.stores, entry);
    if (stored === undefined) {
      return { level: 'error', code: 'E-RUN-008', text: `${label} - missing`, fix: `mur install ${label}` };
    }
    return pinProblem(entry, stored, input) ?? (await checkStored(entry, stored, input));
  } catch (error) {
    const { code, message, hint } = toMurError(error);
    if (code === 'E-REG-002') return damaged(label, [message]);
    return { level: 'error', code, text: `${label} - ${message}`, fix: hint ?? `mur install ${label}` };
  }
}

function checkSource(entry: ArtifactEntry, { manifestDir, policy, natives }: ChecklistInput): Finding {
  const { payload } = readSource(entry, manifestDir);
  const text = `${entry.name} local source`;
  if (payload.kind === 'skill') return { level: 'ok', text };
  if (payload.kind === 'native') return nativeFinding(entry, text, natives);
  return componentFinding(entry, payload.bytes, { text, fix: `mur build ${entry.source}`, policy });
}

/** What the lock has against `stored`; `undefined` when there is no lock or it agrees. */
function pinProblem(
  entry: ArtifactEntry,
  stored: StoredArtifact,
  { lock, manifest }: ChecklistInput,
): Finding | undefined {
  if (lock === undefined) return undefined;
  const { name, version } = entry;
  const label = `${name}@${version}`;
  const pin = lock.artifacts.find((each) => each.name === name);
  const refuse = (code: string, why: string, fix: string): Finding => ({
    level: 'error',
    code,
    text: `${label} - ${why}`,
    fix,
  });
  if (pin === undefined) {
    if (stored.from === 'embedded') return undefined;
    return refuse('E-RUN-003', `murmur.lock missing artifact entry for '${name}'`, `mur install ${label}`);
  }
  const role = pin.origin === 'runtime' ? operatorRole(manifest, entry) : undefined;
  if (role !== undefined) {
    const from = `murmur.lock pins '${name}' from a runtime pull by session ${pin.session ?? '(unknown)'}`;
    const fix = `mur install ${label}, if you trust it; else drop ${role} from its entry`;
    return refuse('E-RUN-043', `${from}; murmur.yaml declares it with ${role}`, fix);
  }
  if (pin.resolvedVersion !== version) {
    const why = `murmur.lock version mismatch for '${name}': manifest requested ${version}, lock pinned ${pin.resolvedVersion}`;
    return refuse(
      'E-RUN-003',
      why,
      `declare ${pin.resolvedVersion} in murmur.yaml, or remove the entry of '${name}' from murmur.lock and run mur install`,
    );
  }
  const platform = hostPlatform();
  const pinned = hashFor(pin, platform);
  if (pinned === undefined) {
    const others = 'platforms' in pin.sha256 ? Object.keys(pin.sha256.platforms).join(', ') : '';
    return refuse(
      'E-RUN-003',
      `murmur.lock has no sha256 for '${name}' on ${platform}: it pins ${others}`,
      `mur install ${label}`,
    );
  }
  if (pinned === stored.sha256) return undefined;
  return damaged(label, [`expected sha256 (murmur.lock): ${pinned}`, `actual sha256 (on disk): ${stored.sha256}`]);
}

function hashFor({ sha256 }: LockEntry, platform: string): string | undefined {
  if ('any' in sha256) return sha256.any;
  return Object.hasOwn(sha256.platforms, platform) ? sha256.platforms[platform] : undefined;
}

function damaged(label: string, details: readonly string[]): Finding {
  return {
    level: 'error',
    code: 'E-REG-002',
    text: `${label} - artifact integrity check failed for ${label}`,
    details,
    fix: `mur install ${label}`,
  };
}

async function checkStored(
  entry: ArtifactEntry,
  stored: StoredArtifact,
  { lock, policy, natives }: ChecklistInput,
): Promise<Finding> {
  const label = `${entry.name}@${entry.version}`;
  const opened = await open(entry, stored);
  if ('level' in opened) return opened;
  const { payload } = opened;
  const text = payload.kind === 'native' ? `${label} ${platformOf(stored, payload)}` : `${label} platform-independent`;
  const found =
    payload.kind === 'skill'
      ? ({ level: 'ok', text } as const)
      : payload.kind === 'native'
        ? (untaggedFinding(text, stored) ?? nativeFinding(entry, text, natives))
        : componentFinding(entry, payload.bytes, {
            text,
            fix: `install a release of ${entry.name} that fits this mur`,
            policy,
          });
  const pin = lock?.artifacts.find(({ name }) => name === entry.name);
  if (found.level !== 'ok' || pin?.origin !== 'runtime') return found;
  return {
    level: 'warning',
    text: `${text} - pulled at runtime by session ${pin.session ?? '(unknown)'}`,
    fix: `mur install ${label} adopts it, if you trust it`,
  };
}

/** Its manifest and payload, or the line that says for which platform its program was built instead. */
async function open(
  entry: ArtifactEntry,
  stored: StoredArtifact,
): Promise<Awaited<ReturnType<typeof openStored>> | Finding> {
  try {
    return await openStored(entry, stored);
  } catch (error) {
    if (!isMurError(error) || error.code !== 'E-RUN-021') throw error;
    const built = nativePlatformOf(await stored.read(programOf(entry.name))) ?? 'another platform';
    const label = `${entry.name}@${entry.version}`;
    return {
      level: 'error',
      code: 'E-RUN-021',
      text: `${label} - native binary is built for ${built}, this host is ${hostPlatform()}`,
      fix: `install the ${hostPlatform()} variant of ${label}`,
    };
  }
}
