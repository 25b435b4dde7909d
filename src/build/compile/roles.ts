/** What a source must export, and how its exports become those of a component, per role. */
export type CompiledRole = 'tool' | 'driver' | 'hook';

export interface RoleContract {
  /** Module of artifacts/author that makes the component's export. */
  readonly serve: string;
  /** The WIT interface the component exports. */
  readonly world: string;
  /** Exports of the author's source: at least one of them has to be there. */
  readonly functions: readonly string[];
  /** JavaScript that exports the component's interface. In scope: `serve`, and the function by name; with several, the namespace `author`. */
  readonly entry: string;
}

export const hookFunctions = [
  'onStage',
  'onSessionStart',
  'onTaskStart',
  'onInference',
  'onToolCall',
  'onShell',
  'onCompaction',
  'onTaskEnd',
  'onSessionEnd',
];

export const roles: Readonly<Record<CompiledRole, RoleContract>> = {
  tool: {
    serve: 'serve-tool',
    world: 'murmur:tool/run@0.1.0',
    functions: ['run'],
    entry: 'const served = serve(run);\nexport { served as run };;',
  },
  driver: {
    serve: 'serve-driver',
    world: 'murmur:tool/run@0.1.0',
    functions: ['respond'],
    entry: 'export const run = serve(respond);',
  },
  hook: {
    serve: 'serve-hook',
    world: 'murmur:hook/lifecycle@0.9.0',
    functions: hookFunctions,
    entry: 'export const lifecycle = serve(author);',
  },
};

export function isCompiledRole(role: string): role is CompiledRole {
  return Object.hasOwn(roles, role);
}
