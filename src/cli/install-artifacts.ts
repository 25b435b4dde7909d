import { join } from 'node:path';
import { type LocalStore, localStore } from '../artifacts/local-store.js';
import { chooseRegistry, keyNotice, workspaceRegistry } from '../artifacts/registries/index.js';
import { findProjectRoot, projectStoreRoot } from '../artifacts/stores.js';
import { MurError } from '../errors/index.js';
import { locateConfig, readConfig } from '../home/config.js';
import { type MurmurHome, murmurHome } from '../home/index.js';
import { createWasmHost } from '../wasm/index.js';
import type { CliContext, ExitStatus } from './context.js';
import type { InstallFlags } from './install.js';
import { jobsOf, runJobs } from './install-jobs.js';
import { fetchText, InstallProgress } from './install-progress.js';
import { type InstallRef, parseInstallRef } from './install-ref.js';
import { InstallSources } from './install-sources.js';
import { InstallTarget, type Pinning } from './install-target.js';
import { failureText, type InstallOutcome, installJson, outcomeLines } from './install-view.js';
import { warningLine } from './output.js';
import { precompileArtifact } from './precompile-artifact.js';
import { styleFor, wantsColor } from './style.js';

/** Installs what `text` names, or all that the project declares. Throws what makes all of it impossible. */
export async function installArtifacts(
  text: string | undefined,
  flags: InstallFlags,
  context: CliContext,
): Promise<ExitStatus> {
  const { stdout, stderr, env } = context;
  const ref = parseInstallRef(text);
  const facts = { isTerminal: stderr.isTerminal, env, noColor: !flags.color };
  const style = styleFor(wantsColor(facts));
  const place = placeOf(ref, flags, murmurHome(env));
  const progress = new InstallProgress(stderr, { ...facts, style });
  const warn = (message: string) => stderr.write(`${warningLine({ code: '', message, origin: 'cli' }, style)}\n`);
  try {
    const jobs = jobsOf(ref, flags, place, sourcesOf(place, flags, env, progress, warn));
    const outcomes = await runJobs(jobs, place.target, progress);
    const [first] = outcomes;
    if (ref.kind !== 'manifest' && first?.kind === 'failed') throw first.error;
    progress.close();
    if (flags.json === true) stdout.write(`${JSON.stringify(installJson(outcomes))}\n`);
    else if (outcomes.length === 0) stdout.write('No artifacts in manifest.\n');
    else for (const line of outcomes.flatMap(outcomeLines)) stdout.write(`${line}\n`);
    stderr.write(failureText(outcomes, style));
    if (flags.precompile) await precompileAll(outcomes, place.home, new InstallProgress(stderr, { ...facts, style }));
    return outcomes.some(({ kind }) => kind === 'failed') ? 1 : 0;
  } finally {
    progress.close();
  }
}

interface Place {
  readonly home: MurmurHome;
  /** The project around this folder. Absent with `-g`, unless its manifest is what is installed. */
  readonly root: string | undefined;
  readonly target: InstallTarget;
  /** The local registry. */
  readonly stores: readonly LocalStore[];
}

function placeOf(ref: InstallRef, flags: InstallFlags, home: MurmurHome): Place {
  const isGlobal = flags.global === true || flags.allPlatforms === true;
  const root = isGlobal && ref.kind !== 'manifest' ? undefined : findProjectRoot('.');
  if (root === undefined && !(isGlobal && ref.kind !== 'manifest')) {
    throw new MurError('E-IO-001', 'no project root found (no murmur.yaml in current or parent directories)', {
      hint: 'run it inside a project, or add -g and a name to install for every project',
    });
  }
  const global = localStore('global', join(home.root, 'artifacts'));
  if (isGlobal || root === undefined)
    return { home, root, target: new InstallTarget(global, undefined), stores: [global] };
  const project = localStore('project', projectStoreRoot(root));
  const target = new InstallTarget(project, root, pinningOf(ref, flags));
  return { home, root, target, stores: [project, global] };
}

function pinningOf(ref: InstallRef, { repin }: InstallFlags): Pinning {
  if (ref.kind !== 'file') {
    if (repin !== true) return 'pins';
    throw new MurError('E-IO-003', '--repin needs a file to install', {
      hint: 'mur install --repin ./tool-0.1.0.mur.zip',
    });
  }
  return repin === true ? 'repins' : 'keeps';
}

/** Made when first needed: a file is installed whatever the configuration says. */
function sourcesOf(
  { home, stores }: Place,
  flags: InstallFlags,
  env: CliContext['env'],
  progress: InstallProgress,
  warn: (message: string) => void,
): () => InstallSources {
  let sources: InstallSources | undefined;
  return () => {
    if (sources !== undefined) return sources;
    const config = readConfig(locateConfig(env));
    for (const message of config.warnings) warn(message);
    const choice = chooseRegistry(flags.registry, workspaceRegistry('.'), env);
    const notice = keyNotice(choice);
    if (notice !== undefined) warn(notice);
    sources = new InstallSources({
      choice,
      stores,
      registry: {
        config: config.registry,
        env,
        downloads: join(home.root, 'downloads'),
        onProgress: ({ name, receivedBytes, totalBytes }) => {
          if (receivedBytes === totalBytes) progress.end(name);
          else progress.set(name, fetchText(name, receivedBytes, totalBytes));
        },
      },
    });
    return sources;
  };
}

/** Fills the compiled cache. Without a word when one does not compile: the launch says so, where it matters. */
async function precompileAll(
  outcomes: readonly InstallOutcome[],
  home: MurmurHome,
  progress: InstallProgress,
): Promise<void> {
  const installed = outcomes.flatMap((outcome) => (outcome.kind === 'installed' ? outcome.installed : []));
  const wasm = createWasmHost({ cacheDir: home.compiled });
  try {
    for (const { artifact, path } of installed) {
      const { name, version } = artifact.meta;
      progress.set(path, `compiling ${name}@${version}`);
      await precompileArtifact(wasm, artifact, path).catch(() => undefined);
      progress.end(path);
    }
  } finally {
    progress.close();
    await wasm.close();
  }
}
