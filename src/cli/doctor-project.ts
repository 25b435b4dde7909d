/**
 * `mur doctor`: what a run of this project would find, without running it. Reads, changes nothing, opens no connection.
 * Read next: doctor-block.ts (what a block is), then one file per block in the order of `blocksOf`.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { artifactStores, findProjectRoot, hostPlatform, localStore, projectStoreRoot } from '../artifacts/index.js';
import { isMurError, MurError } from '../errors/index.js';
import { locateConfig, readConfig } from '../home/config.js';
import { withEnvFile } from '../home/env-file.js';
import { locateMurmurHome } from '../home/murmur-home.js';
import { readLock } from '../lock/index.js';
import { parseManifest, type RuntimeManifest, readManifestText, releaseWarning } from '../manifest/index.js';
import { type CapabilityPolicy, capabilityPolicyFromManifest, validateStaging } from '../policy/index.js';
import { unbuiltKeys } from '../stage/unbuilt.js';
import { murVersion } from '../version.js';
import type { CliContext, ExitStatus } from './context.js';
import type { DoctorFlags } from './doctor.js';
import { checklist } from './doctor-artifacts.js';
import type { Block, Finding } from './doctor-block.js';
import { environmentBlock } from './doctor-environment.js';
import { doorBlock, installBlock, preopensBlock, readOnlyBlock } from './doctor-grants.js';
import { homeBlock } from './doctor-home.js';
import { hostBlock, usernsBlock } from './doctor-host.js';
import { interfacesBlock } from './doctor-interfaces.js';
import { rosterBlock } from './doctor-roster.js';
import { surveyStores } from './doctor-stores.js';
import { type Diagnosis, printDiagnosis } from './doctor-view.js';
import type { Warning } from './output.js';

/** Prints the diagnosis; 1 when anything in it is an error. Throws for a project that cannot be read at all. */
export async function diagnose(flags: DoctorFlags, context: CliContext): Promise<ExitStatus> {
  const isRosterOnly = existsSync('roster.yaml') && !existsSync('murmur.yaml');
  const diagnosis = isRosterOnly ? await rosterAlone(context.env) : await projectDiagnosis(flags, context.env);
  printDiagnosis(diagnosis, flags, context);
  return diagnosis.findings.some(({ level }) => level === 'error') ? 1 : 0;
}

async function rosterAlone(env: CliContext['env']): Promise<Diagnosis> {
  const stores = artifactStores({ murmurHome: locateMurmurHome(env).root });
  return diagnosisOf([await rosterBlock(process.cwd(), stores)], undefined);
}

async function projectDiagnosis(flags: DoctorFlags, hostEnv: CliContext['env']): Promise<Diagnosis> {
  const root = findProjectRoot('.');
  if (root === undefined) {
    throw new MurError('E-IO-001', 'no project root found (no murmur.yaml in current or parent directories)', {
      hint: 'mur new makes a project',
    });
  }
  const home = locateMurmurHome(hostEnv);
  const env = withEnvFile(hostEnv, root);
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
  const release = releaseWarning(manifest.murVersion, murVersion);
  const blocks = [
    hostBlock(),
    usernsBlock(),
    homeBlock(home.root),
    preopensBlock(manifest),
    readOnlyBlock(policy),
    installBlock(policy),
    doorBlock(manifest, flags.bind),
    environmentBlock(manifest, policy.spawnAllow, { env, config, configFile: configFiles.global }),
    await rosterBlock(root, stores),
    survey.block,
    interfacesBlock(survey.installed, isDeclared),
    refusalsBlock(manifest, policy),
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
      findings: await checklist({ manifest, manifestDir: root, stores, lock }),
    },
    warnings,
  );
}

/** What `mur run` would refuse of the manifest before it looks at any artifact. */
function refusalsBlock(manifest: RuntimeManifest, policy: CapabilityPolicy): Block {
  const findings: Finding[] = [];
  const warnings: Warning[] = [];
  try {
    const found = validateStaging({ manifest, policy, lifecycle: manifest.lifecycle });
    warnings.push(...found.map(({ code, message }): Warning => ({ code, message, origin: 'runtime' })));
  } catch (error) {
    if (!isMurError(error)) throw error;
    findings.push({
      level: 'warning',
      code: error.code,
      text: `warning[${error.code}]: ${error.message}`,
      details: ['mur run will refuse this capsule until it is corrected'],
      ...(error.hint === undefined ? {} : { fix: error.hint }),
    });
  }
  const unbuilt = unbuiltKeys({ policy, manifest });
  if (unbuilt.length > 0) {
    findings.push({
      level: 'error',
      code: 'E-RUN-907',
      text: `this version of mur cannot serve ${unbuilt.join(', ')} yet, so mur run will refuse this capsule`,
      fix: `remove ${unbuilt.join(', ')} from murmur.yaml, or use a version of mur that has it`,
    });
  }
  return {
    key: 'refusals',
    title: 'Refused at launch',
    lines: findings,
    json: findings.map(({ level, code, text }) => ({ level, code, text })),
    warnings,
  };
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
