import { existsSync, realpathSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { askedOf } from '../asked.js';
import { isWithin } from '../containment/within.js';
import { locateConfig, readConfig } from '../home/config.js';
import { withEnvFile } from '../home/env-file.js';
import { locateMurmurHome } from '../home/murmur-home.js';
import type { MurmurHome } from '../home/types.js';
import type { ContainmentClass, RuntimeManifest } from '../manifest/index.js';
import { capabilityPolicyFromManifest, validateStaging } from '../policy/index.js';
import type { ReachAsked } from '../stage/containment.js';
import { unbuiltKeys, unbuiltNote } from '../stage/unbuilt.js';
import { projectSubject } from '../subject.js';
import { boxManifest, type Grants } from './manifest.js';

/** What is asked of `mur sandbox`. */
export interface SandboxRequest {
  /** Absent: the box is explained, and nothing runs in it. */
  readonly command?: SandboxCommand;
  /** A manifest whose box it is. Absent: a box made of `grants`. */
  readonly manifestPath?: string;
  readonly grants: Grants;
  readonly workdir?: string;
  readonly containment?: ContainmentClass;
  /** Do not load the `.env` file of the manifest's project. */
  readonly noEnvFile?: boolean;
}

export interface SandboxCommand {
  readonly name: string;
  readonly args: readonly string[];
}

/** Without a code: a note. */
export interface BoxWarning {
  readonly code: string;
  readonly message: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** A box as it was asked for. Nothing was made, and the host was not asked. */
export interface Prepared {
  readonly asked: ReachAsked;
  /** The user's own. */
  readonly home: MurmurHome;
  readonly manifestDir: string;
  /** Absent: one is made for the command, beside the manifest, as for a session. */
  readonly workdir?: string;
  readonly privateNames: readonly string[];
  /** What a session of this manifest tells as well. */
  readonly warnings: readonly BoxWarning[];
  /** Whether a manifest declared it, and not the flags. */
  readonly isDeclared: boolean;
  /** The class the host has to back although the box itself ends up below it. */
  readonly atLeast?: ContainmentClass;
}

/** Reads manifest, configuration and `.env`. Throws what a launch throws for them. */
export function prepareSandbox(request: SandboxRequest, hostEnv: Environment): Prepared {
  const home = locateMurmurHome(hostEnv);
  const config = readConfig(locateConfig(hostEnv));
  const { manifestPath, containment } = request;
  const subject =
    manifestPath === undefined
      ? ofFlags(request, hostEnv, dirname(home.root))
      : ofFile(resolve(manifestPath), request, hostEnv);
  const { manifest, dir, env, workdir } = subject;
  const asked = askedOf({
    manifest,
    dir,
    home: ownHome(home, '<run>'),
    config,
    env,
    workdir,
    flag: containment,
    isPacked: false,
  });
  const readable = [asked.folders.work, ...asked.hostPaths.map(({ path }) => path)].map(canonical);
  const found = validateStaging({ manifest, policy: asked.policy, lifecycle: manifest.lifecycle });
  const note = (message: string) => ({ code: '', message });
  return {
    asked: {
      ...asked,
      hostPaths: [
        ...asked.hostPaths,
        ...unlike(readable, subject.read).map((path) => ({ declared: path, path, access: 'read' as const })),
      ],
    },
    home,
    manifestDir: dir,
    ...(workdir === undefined ? {} : { workdir }),
    privateNames: config.privateNames,
    warnings: [...config.warnings.map(note), ...subject.warnings, ...found],
    isDeclared: manifestPath !== undefined,
    ...(manifestPath === undefined && containment === undefined ? { atLeast: 'scoped' } : {}),
  };
}

/** Those folders that lie in none of `readable`, each once: nobody lends what is readable already, and it would be refused. */
function unlike(readable: readonly string[], folders: readonly string[]): readonly string[] {
  return [...new Set(folders.map(canonical))].filter((path) => !readable.some((folder) => isWithin(path, folder)));
}

function canonical(path: string): string {
  return existsSync(path) ? realpathSync(path) : path;
}

/** The same places as a session's, below a folder that is thrown away. */
export function ownHome(home: MurmurHome, name: string): MurmurHome {
  const place = join(sandboxesOf(home), name);
  return { ...home, sessions: join(place, 'sessions'), records: join(place, 'records') };
}

/** Where the folders of sandbox runs are made, and removed again. */
export function sandboxesOf(home: MurmurHome): string {
  return join(home.root, 'sandbox');
}

interface Subject {
  readonly manifest: RuntimeManifest;
  readonly dir: string;
  readonly env: Environment;
  readonly workdir: string | undefined;
  /** Folders to be read that no manifest can name. */
  readonly read: readonly string[];
  readonly warnings: readonly BoxWarning[];
}

function ofFlags(
  { command, grants, workdir = '.', containment }: SandboxRequest,
  env: Environment,
  userHome: string,
): Subject {
  const programs = [...(command === undefined ? [] : [command.name]), ...grants.allow];
  const { manifest, read } = boxManifest(
    programs,
    { ...grants, ...(containment && { containment }) },
    { path: env.PATH ?? '', home: userHome },
  );
  return { manifest, dir: resolve('.'), env, workdir: resolve(workdir), read, warnings: [] };
}

function ofFile(manifestFile: string, { workdir, noEnvFile }: SandboxRequest, hostEnv: Environment): Subject {
  const env = noEnvFile === true ? hostEnv : withEnvFile(hostEnv, dirname(manifestFile));
  const { manifest, dir, warnings } = projectSubject(manifestFile);
  const policy = capabilityPolicyFromManifest(manifest);
  const unbuilt = unbuiltKeys({ policy, manifest });
  return {
    manifest,
    dir,
    env,
    workdir: workdir === undefined ? undefined : resolve(workdir),
    read: [],
    warnings: [
      ...warnings.map(({ code = '', message }) => ({ code, message })),
      ...(unbuilt.length === 0 ? [] : [{ code: '', message: unbuiltNote(unbuilt) }]),
    ],
  };
}
