import { existsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { floorOf } from './containment/floor.js';
import { MurError, reasonOf } from './errors/index.js';
import { locateConfig, readConfig } from './home/config.js';
import { hostPathsOf } from './home/config-host-paths.js';
import { withEnvFile } from './home/env-file.js';
import { locateMurmurHome } from './home/index.js';
import {
  type ContainmentClass,
  type LifecycleOverride,
  type ManifestWarning,
  type RuntimeManifest,
  readRegularFile,
  releaseWarning,
} from './manifest/index.js';
import { capabilityPolicyFromManifest } from './policy/index.js';
import { type StageRequest, taskLimitBytes } from './stage/index.js';
import { type CapsuleRef, installedSubject, projectSubject, type Subject } from './subject.js';
import { murVersion } from './version.js';

/** What a person or a program asks of `mur run`. Absent fields take the defaults of spec/cli.md 11.1. */
export interface RunRequest {
  /** Default `./murmur.yaml`. */
  readonly manifestPath?: string;
  /** An installed capsule, instead of a manifest. */
  readonly capsule?: CapsuleRef;
  /** A file's path, or the task itself. */
  readonly task?: string;
  readonly workdir?: string;
  readonly bindAddr?: string;
  readonly systemPrompt?: string;
  /** Do not load the workspace's `.env`. */
  readonly noEnvFile?: boolean;
  readonly lifecycle?: LifecycleOverride;
  readonly containment?: ContainmentClass;
  /** Hard limit of the session, counted from now. */
  readonly deadlineMs?: number;
  readonly contextId?: string;
  /** Serve live inspection on the door, also when the config file does not say so. */
  readonly inspect?: boolean;
}

export interface PreparedRun {
  readonly request: StageRequest;
  readonly manifest: RuntimeManifest;
}

/** Told of each warning as it is found: what is refused a moment later often is what a warning is about. */
export type WarningListener = (warning: ManifestWarning) => void;

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Everything `launch` needs for a run of the manifest: manifest read and lowered, `.env` and config consulted, task text taken
 * (spec/cli.md 11.2 up to staging). Makes nothing on disk. Throws `MurError`. A `capsule` is for `prepareCapsule`.
 */
export function prepareRun(
  run: RunRequest,
  hostEnv: Environment = process.env,
  onWarning: WarningListener = () => {},
): PreparedRun {
  const manifestFile = resolve(run.manifestPath ?? 'murmur.yaml');
  // Before the manifest: a malformed .env is told of first.
  const env = environmentOf(run, hostEnv, dirname(manifestFile));
  return prepare(run, { hostEnv, env, onWarning }, projectSubject(manifestFile));
}

/** The same for an installed capsule, with its project's `.env` when it is run inside of one. */
export async function prepareCapsule(
  capsule: CapsuleRef,
  run: RunRequest,
  hostEnv: Environment = process.env,
  onWarning: WarningListener = () => {},
): Promise<PreparedRun> {
  const env = environmentOf(run, hostEnv, resolve('.'));
  const subject = await installedSubject(capsule, locateMurmurHome(hostEnv).root);
  return prepare(run, { hostEnv, env, onWarning }, subject);
}

function environmentOf({ noEnvFile }: RunRequest, hostEnv: Environment, dir: string): Environment {
  return noEnvFile === true ? hostEnv : withEnvFile(hostEnv, dir);
}

interface Surroundings {
  readonly hostEnv: Environment;
  /** With the `.env` file laid under it. */
  readonly env: Environment;
  readonly onWarning: WarningListener;
}

function prepare(run: RunRequest, { hostEnv, env, onWarning }: Surroundings, subject: Subject): PreparedRun {
  const { manifest } = subject;
  const release = releaseWarning(manifest.murVersion, murVersion);
  if (release !== undefined) onWarning(release);
  for (const warning of subject.warnings) onWarning(warning);
  const configFiles = locateConfig(hostEnv);
  const config = readConfig(configFiles);
  for (const message of config.warnings) onWarning({ message });
  // A line that could never be lent is refused, also where nothing is lent.
  const hostPaths = hostPathsOf(config.hostPaths, dirname(locateMurmurHome(hostEnv).root));
  if (run.systemPrompt !== undefined && manifest.inference === undefined) {
    throw new MurError('E-IO-003', '--system-prompt is for agent capsules; this manifest has no inference: block');
  }
  if (run.deadlineMs !== undefined && manifest.inference === undefined) {
    throw new MurError('E-RUN-902', 'a deadline cannot be honoured by a script capsule, which has no task to cancel', {
      hint: 'drop --deadline, or set capabilities.limits.deadline_seconds',
    });
  }
  const request: StageRequest = {
    manifestDir: subject.dir,
    ...subject.load(),
    manifest,
    capsuleName: manifest.name,
    capsuleVersion: manifest.version,
    artifacts: manifest.artifacts,
    allowlistedTools: new Set(
      manifest.artifacts.filter(({ runtime }) => runtime === 'tool').map(({ toolName }) => toolName),
    ),
    policy: capabilityPolicyFromManifest(manifest),
    ...(manifest.inference === undefined ? {} : { inference: manifest.inference }),
    ...(run.systemPrompt === undefined ? {} : { systemPromptOverride: run.systemPrompt.trim() }),
    context: manifest.context,
    ...(run.contextId === undefined ? {} : { contextId: run.contextId }),
    lifecycle: manifest.lifecycle,
    ...(run.lifecycle === undefined ? {} : { lifecycleOverride: run.lifecycle }),
    trace: manifest.trace,
    ...(run.workdir === undefined ? {} : { workdir: run.workdir }),
    bindAddr: run.bindAddr ?? '127.0.0.1',
    ...(manifest.network.internalPort === undefined ? {} : { internalPort: manifest.network.internalPort }),
    declaredContainmentFloor: floorOf({
      manifest: manifest.capabilities?.containment,
      config: config.containment,
      flag: run.containment,
      isPacked: run.capsule !== undefined,
    }),
    ...(run.task === undefined ? {} : { taskInput: readTask(run.task) }),
    ...(run.deadlineMs === undefined ? {} : { deadlineMs: run.deadlineMs }),
    ...(run.inspect === true || config.inspect ? { inspect: true } : {}),
    hostEnv: env,
    privateNames: config.privateNames,
    hostPaths,
    credentialsFile: configFiles.global,
  };
  return { request, manifest };
}

/** The bytes of an existing file, else the text itself. */
function readTask(task: string): Uint8Array {
  // A task may be longer than any path, or hold characters none has; then it is text.
  const isFile = task.length < 4096 && !task.includes('\0') && existsSync(task) && statSync(task).isFile();
  if (!isFile) return Buffer.from(task, 'utf8');
  try {
    return readRegularFile(task, taskLimitBytes);
  } catch (error) {
    throw new MurError('E-IO-003', `failed to read the task at ${task}: ${reasonOf(error)}`, { cause: error });
  }
}
