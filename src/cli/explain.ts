/**
 * `mur run --explain-scope`: what a run of this capsule could do, and what of that is enforced here. Reads the manifest, the
 * configuration and the `.env`, and of the artifacts that are installed which are native tools; makes no directory but a cgroup that it
 * removes again, resolves no name, fetches and compiles nothing.
 */
import { dirname, resolve } from 'node:path';
import { artifactStores, findProjectRoot } from '../artifacts/index.js';
import { askedOf } from '../asked.js';
import { locateConfig, readConfig } from '../home/config.js';
import { withEnvFile } from '../home/env-file.js';
import { locateMurmurHome } from '../home/murmur-home.js';
import { validateStaging } from '../policy/index.js';
import type { RunRequest } from '../run.js';
import { type ScopeReport, scopeReport } from '../scope/index.js';
import { hostFor, reachOf } from '../stage/containment.js';
import { withMeasuredLimits } from '../stage/limits.js';
import { nativeToolsIn } from '../stage/native.js';
import { unbuiltKeys, unbuiltNote } from '../stage/unbuilt.js';
import { installedSubject, projectSubject } from '../subject.js';
import type { CliContext, ExitStatus } from './context.js';
import { scopeText } from './explain-view.js';
import { type Warning, warningLine } from './output.js';
import { styleFor, wantsColor } from './style.js';

/** Prints the report; 0 also when the floor is not met. Throws what a launch throws for a declaration it cannot honour. */
export async function explainScope(
  run: RunRequest,
  flags: { readonly json?: boolean; readonly color: boolean },
  { stdout, stderr, env }: CliContext,
): Promise<ExitStatus> {
  const { report, warnings } = await explain(run, env);
  const style = (stream: typeof stdout) =>
    styleFor(wantsColor({ isTerminal: stream.isTerminal, env, noColor: !flags.color }));
  for (const warning of warnings) stderr.write(`${warningLine(warning, style(stderr))}\n`);
  stdout.write(flags.json === true ? `${JSON.stringify(report)}\n` : scopeText(report, style(stdout)));
  return 0;
}

async function explain(
  run: RunRequest,
  hostEnv: CliContext['env'],
): Promise<{ readonly report: ScopeReport; readonly warnings: readonly Warning[] }> {
  const home = locateMurmurHome(hostEnv);
  const manifestFile = resolve(run.manifestPath ?? 'murmur.yaml');
  const dir = run.capsule === undefined ? dirname(manifestFile) : resolve('.');
  const env = run.noEnvFile === true ? hostEnv : withEnvFile(hostEnv, dir);
  const subject =
    run.capsule === undefined ? projectSubject(manifestFile) : await installedSubject(run.capsule, home.root);
  const { manifest } = subject;
  const config = readConfig(locateConfig(hostEnv));
  const { workdir, containment: flag, capsule } = run;
  const declared = askedOf({
    manifest,
    dir: subject.dir,
    home,
    config,
    env,
    workdir,
    flag,
    isPacked: capsule !== undefined,
  });
  const { policy } = declared;
  const found = validateStaging({
    manifest,
    policy,
    lifecycle: manifest.lifecycle,
    ...(run.contextId === undefined ? {} : { contextId: run.contextId }),
    ...(run.lifecycle === undefined ? {} : { lifecycleOverride: run.lifecycle }),
  });
  const projectRoot = findProjectRoot(subject.dir);
  const stores = artifactStores({ murmurHome: home.root, ...(projectRoot === undefined ? {} : { projectRoot }) });
  const { folders } = declared;
  const nativeTools = await nativeToolsIn(manifest, { manifestDir: subject.dir, stores, folders, hostEnv: env });
  const asked = { ...declared, nativeTools };
  const scope = await withMeasuredLimits(asked, await reachOf(asked, await hostFor(asked)));
  const unbuilt = unbuiltKeys({ policy, manifest });
  return {
    report: scopeReport(scope),
    warnings: [
      ...subject.warnings.map(({ code = '', message }): Warning => ({ code, message, origin: 'manifest' })),
      ...config.warnings.map((message): Warning => ({ code: '', message, origin: 'cli' })),
      ...found.map(({ code, message }): Warning => ({ code, message, origin: 'runtime' })),
      ...(unbuilt.length === 0 ? [] : [{ code: '', message: unbuiltNote(unbuilt), origin: 'cli' } as const]),
    ],
  };
}
