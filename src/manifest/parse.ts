import { artifactShape, readArtifacts } from './artifact.js';
import { capabilitiesShape, readCapabilities } from './capabilities.js';
import { contextShape, readContext } from './context.js';
import { controlShape, readControl } from './control.js';
import { checkDrivers, checkPromptArtifact } from './drivers.js';
import { exportsShape, readExports } from './exports.js';
import { inferenceShape, readInference } from './inference.js';
import { lifecycleShape, readLifecycle } from './lifecycle.js';
import type { ManifestWarning, RuntimeManifest } from './manifest.js';
import { networkShape, readNetwork } from './network.js';
import { observabilityShape, readObservability } from './observability.js';
import { applyOlderKeys } from './older.js';
import { present, trimmed } from './present.js';
import { Report, syntaxFault } from './report.js';
import { block, free, keepsTextOf, kindOf, list, release, shapeProblem, text, z } from './shape.js';
import { readTrace, traceShape } from './trace.js';
import type { Tree } from './tree.js';
import { reportUnknownKeys, withMisspelling } from './unknown-keys.js';
import { isLaterRelease } from './version.js';
import { parseYaml } from './yaml.js';

/** The whole capsule manifest: every key, its YAML type, and which block documents it. */
export const manifestShape = z.object({
  name: text(),
  version: release(),
  mur_version: release(),
  artifacts: list(artifactShape),
  capabilities: capabilitiesShape,
  network: networkShape,
  inference: inferenceShape,
  context: contextShape,
  observability: observabilityShape,
  trace: traceShape,
  lifecycle: lifecycleShape,
  exports: exportsShape,
  control: controlShape,
  // Keys of an artifact manifest, which may be the same file; they mean nothing here.
  runtime: free(),
  implementation: free(),
  execution: free(),
  requires_files: free(),
  // Read by `mur install` and `mur publish` (src/artifacts/registries); a run only checks its types.
  registry: block({ default: text(), remote_url: text() }),
  // Known, so that it is refused with a reason and not merely called unknown.
  config: free(),
});

type RawManifest = z.infer<typeof manifestShape>;

export interface ManifestSource {
  /** Where the text came from, for messages. */
  readonly path: string;
  /** The running `mur` release; with it, unknown keys of a manifest for a later release are explained. */
  readonly release?: string;
}

/**
 * The typed value of a capsule manifest, or a `MurError` with code, line and column for the first rule it breaks, in the
 * order of spec/manifest.md section 14. Pure. Values of `gateway.api_key` are never part of a message.
 */
export function parseManifest(
  source: string,
  origin: ManifestSource,
): { readonly manifest: RuntimeManifest; readonly warnings: readonly ManifestWarning[] } {
  const tree = readTree(source, origin.path);
  const report = new Report(origin.path, tree);
  const raw = checkTypes(tree, report);
  const manifest = readOrExplain(raw, report);
  reportUnknownKeys(manifestShape, report, (count) => laterReleaseNote(count, manifest.murVersion, origin.release));
  return { manifest, warnings: report.warnings };
}

function readTree(source: string, path: string): Tree {
  const outcome = parseYaml(source, keepsTextOf(manifestShape));
  if (!outcome.ok) throw syntaxFault(path, outcome.detail, outcome.at, outcome.hint);
  const { tree } = outcome;
  if (tree.root !== null && kindOf(tree.root) !== 'mapping') {
    throw syntaxFault(path, `expected mapping, got ${kindOf(tree.root)}`, { line: 1, column: 1 });
  }
  return tree;
}

function checkTypes(tree: Tree, report: Report): RawManifest {
  const root = tree.root ?? {};
  const problem = shapeProblem(manifestShape, root);
  if (problem === undefined) return root as RawManifest;
  if (problem.tooLarge) {
    const fault = problem.path[0] === 'artifacts' ? report.entryFault : report.fault;
    throw fault(problem.path, problem.message);
  }
  const at = tree.positionOf(problem.path);
  throw syntaxFault(report.path, `${report.fieldName(problem.path)}: ${problem.message}`, at, undefined, problem.path);
}

function readOrExplain(raw: RawManifest, report: Report): RuntimeManifest {
  try {
    return readManifest(raw, report);
  } catch (error) {
    throw withMisspelling(error, manifestShape, report);
  }
}

function readManifest(raw: RawManifest, report: Report): RuntimeManifest {
  const { fault } = report;
  const name = raw.name ?? '';
  const version = raw.version ?? '';
  if (name.trim() === '') throw report.missing('name');
  if (version.trim() === '') throw report.missing('version');
  if (raw.config !== undefined)
    throw fault(['config'], 'config belongs to one artifact: write it in its artifacts entry');

  const declared = readArtifacts(raw.artifacts ?? [], report);
  const capabilities = raw.capabilities
    ? readCapabilities(raw.capabilities, ['capabilities'], 'capsule', fault)
    : undefined;
  const inference = raw.inference ? readInference(raw.inference, report) : undefined;
  const artifacts = raw.inference && inference ? applyOlderKeys(raw.inference, inference, declared, report) : declared;
  if (inference !== undefined) checkPromptArtifact(inference, artifacts, report);
  checkDrivers(inference, artifacts, report);

  const delegates = (capabilities?.spawn?.allow ?? []).length > 0;
  return present({
    name,
    version,
    murVersion: trimmed(raw.mur_version),
    artifacts,
    capabilities,
    inference,
    context: readContext(raw.context, fault),
    observability: readObservability(raw.observability, report),
    trace: readTrace(raw.trace, fault),
    lifecycle: readLifecycle(raw.lifecycle, fault),
    exports: raw.exports ? readExports(raw.exports, fault) : undefined,
    network: readNetwork(raw.network, delegates, fault),
    control: readControl(raw.control, inference, artifacts, fault),
  });
}

function laterReleaseNote(count: number, pinned: string | undefined, running: string | undefined): string | undefined {
  if (pinned === undefined || running === undefined || !isLaterRelease(pinned, running)) return undefined;
  const keys = count === 1 ? '1 key' : `${count} keys`;
  return `the manifest pins mur ${pinned}, this is mur ${running}, which does not know ${keys} of it`;
}
