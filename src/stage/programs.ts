/** What the commands of a session are on this host, and what they read. Loaded for sessions that have commands. */
import { dirname } from 'node:path';
import { type CompilerHelpers, compilerHelpers } from '../containment/compilers.js';
import { type Executables, type PathGrant, resolveExecutables } from '../containment/executables.js';
import { checkHostPaths, hostPathGrants, type ResolvedHostPath, resolveHostPaths } from '../containment/host-paths.js';
import { type NetworkFiles, networkFileGrants, networkFiles } from '../containment/trust-store.js';
import type { WarningCode } from '../errors/index.js';
import type { ContainmentClass, LifecycleConfig, RuntimeManifest } from '../manifest/index.js';
import { hearsOfCompletions } from '../manifest/lifecycle.js';
import { type CapabilityPolicy, shellNames } from '../policy/index.js';
import { addressSpaceWarnings } from './address-space.js';
import type { ReachAsked } from './containment.js';

export interface Programs {
  readonly executables: Executables;
  readonly networkFiles: NetworkFiles;
  readonly hostPaths: readonly ResolvedHostPath[];
  /** What commands may read besides their own executables. */
  readonly readPaths: readonly PathGrant[];
  /** What allowed compilers would miss. Asked for under a sealed floor only. */
  readonly compilers?: CompilerHelpers;
}

/**
 * Resolves every allowed name and every lent folder. Throws `E-CAP-901` for a folder that cannot be lent. Interpreters are asked what
 * they need, outside of containment, unless the session could have written them.
 */
export async function findPrograms(asked: ReachAsked): Promise<Programs> {
  const { policy, folders, hostEnv, hostPaths, floor, nativeTools = [] } = asked;
  const [path, writable] = [hostEnv.PATH ?? '', [folders.work, folders.records]];
  const executables = await resolveExecutables({
    allow: policy.shellAllow,
    path,
    interpreterRuntime: policy.shellInterpreterRuntime,
    stagedRuntime: policy.shellStagedRuntime,
    writable,
  });
  // An unconfined command reads what the operator reads: nothing needs lending.
  const lent =
    floor === 'unconfined'
      ? []
      : resolveHostPaths(hostPaths, {
          userHome: dirname(folders.home),
          murmurHome: folders.home,
          ...(folders.isWorkMade ? {} : { workFolder: folders.work }),
        });
  checkHostPaths(lent, {
    executables: {
      executable: [...executables.executable, ...nativeTools.flatMap(({ entrypoint }) => entrypoint.runs)],
      readable: [...executables.readable, ...nativeTools.flatMap(({ entrypoint }) => entrypoint.readable)],
    },
    ...(policy.workdirExecAllowed ? { executableWorkFolder: folders.work } : {}),
  });
  const files = networkFiles({
    commands: [...policy.shellAllow, ...nativeTools.map(({ artifact }) => artifact)],
    networkAllow: policy.networkAllow,
  });
  return {
    executables,
    networkFiles: files,
    hostPaths: lent,
    readPaths: [...networkFileGrants(files), ...hostPathGrants(lent)],
    ...(floor === 'sealed' ? { compilers: await compilerHelpers({ executables, path, writable }) } : {}),
  };
}

/** The policy with what staging alone can fill in. */
export function policyWith(policy: CapabilityPolicy, programs: Programs): CapabilityPolicy {
  return {
    ...policy,
    shellDerivedInterpreterRuntime: programs.executables.derived.map(({ binary, dirs, libraries }) => ({
      binary,
      dirs: [...dirs, ...libraries],
    })),
    shellTrustStore: programs.networkFiles.trustStore,
    hostPaths: programs.hostPaths,
  };
}

/** What an operator should know of the commands of a capsule, and of what is lent to them. */
export function programWarnings(
  {
    policy,
    manifest,
    floor,
  }: {
    readonly policy: Pick<CapabilityPolicy, 'shellAllow' | 'resources' | 'declaredResources'>;
    readonly manifest: Pick<RuntimeManifest, 'inference'>;
    readonly floor: ContainmentClass;
  },
  lifecycle: Pick<LifecycleConfig, 'taskAcceptance' | 'afterTask'>,
  { executables, hostPaths, compilers }: Pick<Programs, 'executables' | 'hostPaths' | 'compilers'>,
): readonly { readonly code: WarningCode; readonly message: string }[] {
  const { offered, withheld } = shellNames(policy.shellAllow);
  return [
    ...compilerWarnings(compilers),
    ...addressSpaceWarnings(policy, floor),
    // Of a capsule that starts programs on a model's word; what a script capsule starts is always waited for.
    ...(offered.length === 0 || manifest.inference === undefined || hearsOfCompletions(lifecycle)
      ? []
      : [
          {
            code: 'W-SEC-022' as const,
            message:
              'this lifecycle hears of no command that ends in the background, so every command is waited for; task_acceptance: queue with after_task: sleep would hear of them',
          },
        ]),
    ...offered
      .filter((name) => !executables.binaries.some((binary) => binary.name === name))
      .map((name) => ({
        code: 'W-SEC-908' as const,
        message: `capabilities.shell.allow entry '${name}' is on no folder of PATH, so every call of it fails`,
      })),
    ...withheld.map((entry) => ({
      code: 'W-SEC-904' as const,
      message: `capabilities.shell.allow entry '${entry}' is no bare name of a program, so it is offered as no tool`,
    })),
    ...hostPaths.flatMap(({ declared, credentialLocations }, index) =>
      credentialLocations.map((place) => ({
        code: 'W-SEC-903' as const,
        message: `host_paths[${index}] ${declared} is, holds or lies in ${place}, where credentials are kept`,
      })),
    ),
  ];
}

function compilerWarnings({ uncovered, unasked }: CompilerHelpers = { uncovered: [], unasked: [] }) {
  return [
    ...uncovered.map(({ driver, helper, path, folder }) => ({
      code: 'W-SEC-012' as const,
      message: `'${driver}' cannot start its helper ${helper} (${path}) in a sealed box; grant ${folder}`,
    })),
    ...unasked.map(({ driver, why }) => ({
      code: 'W-SEC-029' as const,
      message: `'${driver}' could not be asked for its helpers: ${why}`,
    })),
  ];
}
