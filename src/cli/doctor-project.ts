/**
 * `mur doctor`: what a run of this project would find, without running it. Reads, changes nothing, opens no connection.
 * Read next: doctor-block.ts (what a block is), then one file per block in the order of `blocksOf`.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { artifactStores, findProjectRoot, hostPlatform, localStore, projectStoreRoot } from '../artifacts/index.js';
import { askedOf } from '../asked.js';
import type { HostReport } from '../containment/host.js';
import { isMurError, MurError } from '../errors/index.js';
import { locateConfig, readConfig } from '../home/config.js';
import { withEnvFile } from '../home/env-file.js';
import { locateMurmurHome } from '../home/murmur-home.js';
import { readLock } from '../lock/index.js';
import { parseManifest, readManifestText, releaseWarning } from '../manifest/index.js';
import { capabilityPolicyFromManifest } from '../policy/index.js';
import { scopeFolders } from '../scope/index.js';
import { nativeToolsIn } from '../stage/native.js';
import { murVersion } from '../version.js';
import type { CliContext, ExitStatus } from './context.js';
import type { DoctorFlags } from './doctor.js';
import { checklist } from './doctor-artifacts.js';
import type { Block } from './doctor-block.js';
import { capsuleFindings } from './doctor-capsule.js';
import { surveyCommands } from './doctor-commands.js';
import { environmentBlock } from './doctor-environment.js';
import { doorBlock, installBlock, preopensBlock, readOnlyBlock } from './doctor-grants.js';
import { homeBlock } from './doctor-home.js';
import { hostBlock, usernsBlock } from './doctor-host.js';
import { interfacesBlock } from './doctor-interfaces.js';
import { refusalsBlock } from './doctor-refusals.js';
import { rosterBlock } from './doctor-roster.js';
import { surveyStores } from './doctor-stores.js';
import { type Diagnosis, printDiagnosis } from './doctor-view.js';
import type { Warning } from './output.js';

/**
 * Prints the diagnosis; 1 when anything in it is an error. Throws for a project that cannot be read at all, and, once it has told of
 * the machine, where there is none.
 */
export async function diagnose(flags: DoctorFlags, context: CliContext): Promise<ExitStatus> {
  const isRosterOnly = existsSync('roster.yaml') && !existsSync('murmur.yaml');
  const root = isRosterOnly ? undefined : findProjectRoot('.');
  if (root === undefined && !isRosterOnly) {
    printDiagnosis(await machineAlone(flags, context.env), flags, context);
    throw noProject;
  }
  const diagnosis =
    root === undefined ? await rosterAlone(context.env) : await projectDiagnosis(root, flags, context.env);
  printDiagnosis(diagnosis, flags, context);
  return diagnosis.findings.some(({ level }) => level === 'error') ? 1 : 0;
}

async function rosterAlone(env: CliContext['env']): Promise<Diagnosis> {
  const stores = artifactStores({ murmurHome: locateMurmurHome(env).root });
  return diagnosisOf([await rosterBlock(process.cwd(), stores)], undefined);
}

const noProject = new MurError('E-IO-001', 'no project root found (no murmur.yaml in current or parent directories)', {
  hint: 'mur new makes a project',
});

/** What holds for any project on this machine. Only JSON counts the missing project: people read it as the error that follows. */
async function machineAlone(flags: DoctorFlags, env: CliContext['env']): Promise<Diagnosis> {
  const machine = machineBlocks(await probed(flags));
  const diagnosis = diagnosisOf([...machine, homeBlock(locateMurmurHome(env).root)], undefined);
  const { code, message: text, hint } = noProject;
  const missing = { level: 'error', code, text, ...(hint === undefined ? {} : { fix: hint }) } as const;
  return { ...diagnosis, findings: [...diagnosis.findings, missing], isMachineOnly: true };
}

/** The probes of a launch, unless they are not wanted. They are waited for in other processes, so they begin first. */
async function probed(flags: DoctorFlags): Promise<HostReport | undefined> {
  return flags.probe ? (await import('../containment/probe/index.js')).probeHost() : undefined;
}

function machineBlocks(host: HostReport | undefined): readonly Block[] {
  return [hostBlock(host), ...(host === undefined ? [] : [usernsBlock(host)])];
}

async function projectDiagnosis(root: string, flags: DoctorFlags, hostEnv: CliContext['env']): Promise<Diagnosis> {
  const probing = probed(flags);
  // What is found first ends the command; nobody waits for the probes then.
  probing.catch(() => {});
  const home = locateMurmurHome(hostEnv);
  const { env, envFileFault } = environmentOf(hostEnv, root);
  const manifestFile = join(root, 'murmur.yaml');
  const parsed = parseManifest(readManifestText(manifestFile), { path: manifestFile, release: murVersion });
  const { manifest } = parsed;
  const policy = capabilityPolicyFromManifest(manifest);
  const configFiles = locateConfig(hostEnv, root);
  const config = readConfig(configFiles);
  const lock = readLock(root);
  const stores = artifactStores({ projectRoot: root, murmurHome: home.root });
  const isDeclared = ({ name, version }: { readonly name: string; readonly version: string }): boolean =>
    manifest.artifacts.some((entry) => entry.name === name && entry.version === version);
  const survey = await surveyStores(
    [localStore('project', projectStoreRoot(root)), localStore('global', join(home.root, 'artifacts'))],
    lock,
    ({ meta }) => isDeclared(meta),
  );
  const folders = scopeFolders({ home, manifestDir: root });
  const natives = await nativeToolsIn(manifest, { manifestDir: root, stores, folders, hostEnv: env });
  const nativeNames = natives.map(({ artifact }) => artifact);
  const release = releaseWarning(manifest.murVersion, murVersion);
  const host = await probing;
  const asked = askedOf({ manifest, dir: root, home, config, env, isPacked: false });
  const commands = await surveyCommands({ ...asked, nativeTools: natives }, host, manifest.lifecycle);
  const blocks = [
    ...machineBlocks(host),
    homeBlock(home.root),
    preopensBlock(manifest, nativeNames),
    readOnlyBlock(policy, commands.hold),
    installBlock(policy),
    doorBlock(manifest, flags.bind),
    environmentBlock(manifest, policy.spawnAllow, {
      env,
      config,
      configFile: configFiles.global,
      ...(envFileFault === undefined ? {} : { envFileFault }),
    }),
    await rosterBlock(root, stores),
    survey.block,
    interfacesBlock(survey.installed, isDeclared),
    refusalsBlock(manifest, policy),
    commands.block,
  ];
  const warnings: Warning[] = [
    ...[...(release === undefined ? [] : [release]), ...parsed.warnings].map(
      ({ code = '', message }): Warning => ({ code, message, origin: 'manifest' }),
    ),
    ...config.warnings.map((message): Warning => ({ code: '', message, origin: 'cli' })),
  ];
  return diagnosisOf(
    blocks,
    {
      manifest: manifestFile,
      platform: hostPlatform(),
      findings: [
        ...capsuleFindings(manifest, root, policy),
        ...(await checklist({ manifest, manifestDir: root, policy, stores, lock, natives })),
      ],
    },
    warnings,
  );
}

/** The environment with the project's `.env` under it. One that cannot be used is reported, and the diagnosis goes on without it. */
function environmentOf(
  hostEnv: CliContext['env'],
  root: string,
): { readonly env: CliContext['env']; readonly envFileFault?: MurError } {
  try {
    return { env: withEnvFile(hostEnv, root) };
  } catch (error) {
    if (!isMurError(error)) throw error;
    return { env: hostEnv, envFileFault: error };
  }
}

function diagnosisOf(
  blocks: readonly Block[],
  checks: Diagnosis['checks'],
  warnings: readonly Warning[] = [],
): Diagnosis {
  const inBlocks = blocks.flatMap(({ lines }) => lines.filter((line) => typeof line !== 'string'));
  return {
    blocks,
    checks,
    findings: [...(checks?.findings ?? []), ...inBlocks],
    warnings: [...warnings, ...blocks.flatMap((block) => block.warnings ?? [])],
    errors: blocks.flatMap((block) => block.errors ?? []),
  };
}
