import { type ContainmentClass, parseManifest, type RuntimeManifest } from '../manifest/index.js';
import { addressBytesOf, type Kit, kitOf } from './kit.js';

/** What the flags add to the box of a command without a manifest. */
export interface Grants {
  /** Further programs. */
  readonly allow: readonly string[];
  /** Entries of `network.allow`. */
  readonly network: readonly string[];
  /** Variables of this environment. */
  readonly env: readonly string[];
  readonly workdirExec: boolean;
  readonly unixSockets: boolean;
  /** Floor of the box, where it is not to be the default. */
  readonly containment?: ContainmentClass;
}

export interface BoxManifest {
  readonly manifest: RuntimeManifest;
  /** Folders to be read, which no manifest can name. */
  readonly read: readonly string[];
}

/**
 * The manifest of a box for `programs`, as a person could have written it, with the folders it lends to be read. Its floor is `scoped`:
 * a box that holds nothing is not what was asked for. `workdir_exec` takes that class from every host, so there the floor is `advisory`.
 * Throws what a file that says the same throws.
 */
export function boxManifest(
  programs: readonly string[],
  grants: Grants,
  { path, home }: { readonly path: string; readonly home: string },
): BoxManifest {
  const kits = programs.map((name) => kitOf(name, path, home));
  const all = (part: keyof Kit) => [...new Set(kits.flatMap((kit) => kit[part]))];
  const floor = grants.containment ?? (grants.workdirExec ? 'advisory' : 'scoped');
  const runtimes = kits.flatMap(({ allow: [binary], execute }) =>
    execute.length === 0 ? [] : [{ binary, dirs: execute.map((folder) => ({ path: folder, list_dir: true })) }],
  );
  const allow = all('allow');
  const addressBytes = addressBytesOf(allow);
  const declared = {
    name: 'sandbox',
    version: '0.0.0',
    capabilities: {
      containment: floor,
      shell: {
        allow,
        ...(runtimes.length === 0 ? {} : { interpreter_runtime: runtimes }),
        ...(grants.env.length === 0 ? {} : { baseline_env: grants.env }),
      },
      network: { allow: grants.network, ...(grants.unixSockets ? { unix_sockets: true } : {}) },
      ...(addressBytes === undefined ? {} : { resources: { memory_bytes: addressBytes } }),
      ...(grants.workdirExec ? { filesystem: { workdir_exec: true } } : {}),
    },
  };
  // JSON is YAML.
  const { manifest } = parseManifest(JSON.stringify(declared), { path: 'the flags of mur sandbox' });
  return { manifest, read: all('read') };
}
