/** What a session can answer a call with. Sets of tool names. */
export interface RouteTable {
  /** Runtime-provided tools whose gate is open. */
  readonly runtimeProvided: ReadonlySet<string>;
  /** Tools with a native image `tools/<n>/<n>`. */
  readonly nativeImages: ReadonlySet<string>;
  /** `capabilities.shell.allow`. */
  readonly shellBinaries: ReadonlySet<string>;
  /** Folders with a `skill.md`. */
  readonly skills: ReadonlySet<string>;
  /** Staged components. */
  readonly wasmTools: ReadonlySet<string>;
  /** Which native and WASM tools may be dispatched. */
  readonly allowlist: ReadonlySet<string>;
  /** Names that `remove-artifact` took away in this session. */
  readonly removed: ReadonlySet<string>;
}

export type RouteKind = 'wasm' | 'native' | 'shell' | 'skill' | 'builtin';

export type Route =
  | { readonly kind: RouteKind }
  | {
      readonly kind: 'refused';
      readonly reason: 'unknown' | 'not-allowed' | 'removed' | 'unsupported';
      readonly message: string;
    };

/** The kinds this build can serve. The others are matched, so their order holds, and refused by name. */
const served: ReadonlySet<RouteKind> = new Set<RouteKind>(['wasm', 'native', 'shell', 'skill']);

const unservedWords: Readonly<Record<RouteKind, string>> = {
  native: 'a native tool',
  shell: 'a shell command',
  builtin: 'a runtime-provided tool',
  wasm: 'a WASM tool',
  skill: 'a skill',
};

/** Which way a call of `name` goes: the first match of spec/tools.md section 3, or why it goes nowhere. */
export function routeCall(name: string, table: RouteTable, servedKinds: ReadonlySet<RouteKind> = served): Route {
  const kind = match(name, table);
  if (kind === undefined) {
    return table.removed.has(name)
      ? refuse('removed', `Tool '${name}' was removed from this session and can no longer be called.`)
      : refuse(
          'unknown',
          `Tool '${name}' is not declared in this capsule's manifest and is not available in this session.${available(table)}`,
        );
  }
  if ((kind === 'native' || kind === 'wasm') && !table.allowlist.has(name)) {
    return refuse(
      'not-allowed',
      `Tool '${name}' is installed, but this capsule's manifest does not let the model call it.`,
    );
  }
  if (!servedKinds.has(kind)) {
    return refuse('unsupported', `'${name}' is ${unservedWords[kind]}, which this version of mur cannot run yet.`);
  }
  return { kind };
}

/** Names that are told to a model that called something else. A session with more than these has them in its requests. */
const mostNamed = 32;

/** What could have been called, for a model to try next. */
function available({ allowlist, ...table }: RouteTable): string {
  const images = [...table.nativeImages, ...table.wasmTools].filter((name) => allowlist.has(name));
  const names = [...new Set([...table.runtimeProvided, ...table.shellBinaries, ...table.skills, ...images])].sort();
  if (names.length === 0) return '';
  const left = names.length - mostNamed;
  return ` Available: ${names.slice(0, mostNamed).join(', ')}${left > 0 ? ` and ${left} more` : ''}.`;
}

function match(name: string, table: RouteTable): RouteKind | undefined {
  if (table.runtimeProvided.has(name)) return 'builtin';
  if (table.nativeImages.has(name) && !table.wasmTools.has(name)) return 'native';
  if (table.shellBinaries.has(name)) return 'shell';
  if (table.skills.has(name)) return 'skill';
  if (table.wasmTools.has(name)) return 'wasm';
  return undefined;
}

function refuse(reason: 'unknown' | 'not-allowed' | 'removed' | 'unsupported', message: string): Route {
  return { kind: 'refused', reason, message };
}
