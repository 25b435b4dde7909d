import { parseArtifactManifest } from '../artifacts/index.js';
import { shellNames } from '../policy/index.js';
import { needed } from '../stage/draft.js';
import type { SessionWorld } from './world.js';

/** `murmur:artifact-manager/manage`: what this session has, allowed programs last (spec/wit.md 3.3). Pulls and removals are not granted. */
export function manage(world: SessionWorld) {
  return async (verb: string, args: readonly unknown[]): Promise<unknown> => {
    const resolved = needed(world.draft.resolved, 'resolve').filter(({ role }) => role === 'tool' || role === 'skill');
    const taken = new Set(resolved.map(({ name }) => name));
    const artifacts = [
      ...resolved,
      ...shellNames(world.draft.request.policy.shellAllow)
        .offered.filter((name) => !taken.has(name))
        .map((name) => ({ name, version: '0.0.0', implementation: 'native' as const, manifest: undefined })),
    ];
    const summary = artifacts.map(({ name, version, implementation }) => ({ name, version, runtime: implementation }));
    switch (verb) {
      case 'list':
        return summary;
      case 'diagnostics':
        return {
          capsuleId: needed(world.draft.sessionId, 'mint'),
          installed: summary,
          capabilities: JSON.stringify(needed(world.draft.scopeReport, 'contain')),
        };
      case 'describe': {
        const found = artifacts.find(({ name }) => name === args[0]);
        if (found === undefined) throw `artifact '${String(args[0])}' is not installed`;
        const manifest = found.manifest ?? (await programManifest(found.name));
        return {
          name: found.name,
          version: found.version,
          description: manifest.description ?? '',
          tags: manifest.tags,
          runtime: found.implementation,
          inputSchema: schemaText(manifest.inputSchema),
          outputSchema: schemaText(manifest.outputSchema),
        };
      }
      case 'search':
        throw 'search is not implemented';
      default:
        throw `not granted: capabilities.install lets this capsule ${verb} nothing`;
    }
  };
}

async function programManifest(name: string) {
  const { shellToolManifest } = await import('../shell/index.js');
  return parseArtifactManifest(shellToolManifest(name), `tools/${name}/murmur.yaml`);
}

function schemaText(schema: unknown): string | undefined {
  return schema === undefined || typeof schema === 'string' ? schema : JSON.stringify(schema);
}
