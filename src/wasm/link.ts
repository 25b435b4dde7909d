/**
 * Decides before anything runs whether a component fits the world of its kind, at a version this host serves. Versions come
 * from the component's own bytes (contract.ts). Not the functions themselves (workers/imports.ts, workers/wasi).
 * The accept sets are those of spec/wit.md 1.1; versions whose shape is not confirmed yet stay out.
 */

import type { GuestKind } from '../../workers/protocol.js';
import { type ErrorCode, MurError } from '../errors/index.js';
import { interfaceText } from './contract.js';
import type { Component, InterfaceRef } from './types.js';

/** Starts programs of `capabilities.shell.allow`. */
const shellInterface = 'murmur:shell/execute';

/** Sends to other capsules. */
const messageInterface = 'murmur:message/send';

/** Versions this host serves, by interface. An import that only brings types (`murmur:tool/run` beside the registry) counts too. */
const served: Readonly<Record<string, readonly string[]>> = {
  'murmur:tool/run': ['0.1.0'],
  'murmur:capsule/run': ['0.1.0'],
  'murmur:tool-registry/invoke': ['0.1.0'],
  'murmur:artifact-manager/manage': ['0.1.0'],
  [messageInterface]: ['0.1.0'],
  [shellInterface]: ['0.1.0'],
  'murmur:task/task': ['0.1.0'],
  'murmur:text/chunks': ['0.1.0'],
  'murmur:stream/events': ['0.1.0'],
};

/** Why not, for what is known and not served: nothing is half served. */
const unserved: Readonly<Record<string, string>> = {
  'murmur:process/process': `, because its functions are not published; a tool starts programs through ${shellInterface}@0.1.0`,
};

/** The versions at which this host serves `murmur:tool/run` or the like; none for an interface it does not serve. */
export function servedVersions(interfaceName: string): readonly string[] {
  return Object.hasOwn(served, interfaceName) ? served[interfaceName]! : [];
}

const importsOfKind: Readonly<Record<GuestKind, readonly string[]>> = {
  capsule: [
    'murmur:tool/run',
    'murmur:tool-registry/invoke',
    'murmur:artifact-manager/manage',
    messageInterface,
    shellInterface,
  ],
  tool: ['murmur:task/task', 'murmur:text/chunks', 'murmur:stream/events', messageInterface, shellInterface],
  driver: ['murmur:task/task', 'murmur:text/chunks', 'murmur:stream/events'],
};

const exportOfKind: Readonly<Record<GuestKind, string>> = {
  capsule: 'murmur:capsule/run',
  tool: 'murmur:tool/run',
  driver: 'murmur:tool/run',
};

const wasiVersion = /^0\.2\.\d+$/;
const hint = 'pin a matching release of the artifact, or rebuild it';

/**
 * Why `component` cannot run as `kind`, or `undefined` when it can: `E-RUN-029` for a driver, else `E-RUN-001` for an export that is not
 * there and `E-RUN-002` for an import that nothing serves. Staging calls it to refuse early; every call checks it again.
 */
export function linkError(
  component: Pick<Component, 'imports' | 'exports'>,
  kind: GuestKind,
  name: string,
): MurError | undefined {
  const refuse = (code: ErrorCode, problem: string) =>
    new MurError(kind === 'driver' ? 'E-RUN-029' : code, `${kind} "${name}" ${problem}`, { hint });
  const exported = exportProblem(component, kind);
  if (exported !== undefined) return refuse('E-RUN-001', exported);
  const imported = component.imports.map((ref) => importProblem(ref, kind)).find((problem) => problem !== undefined);
  return imported === undefined ? undefined : refuse('E-RUN-002', imported);
}

/** Whether `component` asks to start programs of its host. */
export function startsPrograms({ imports }: Pick<Component, 'imports'>): boolean {
  return imports.some((ref) => baseName(ref) === shellInterface);
}

/** Key of the export to call, as the generated code names it. Only for a component that passed `linkError`. */
export function exportKey(component: Component, kind: GuestKind): string {
  const found = component.exports.find((ref) => baseName(ref) === exportOfKind[kind]);
  return found === undefined ? exportOfKind[kind] : interfaceText(found);
}

function exportProblem(component: Pick<Component, 'exports'>, kind: GuestKind): string | undefined {
  const wanted = exportOfKind[kind];
  const versions = served[wanted] ?? [];
  const exported = component.exports.filter((ref) => baseName(ref) === wanted);
  if (exported.length === 0)
    return `exports ${list(component.exports)}, but a ${kind} must export ${wanted}@${versions}`;
  const usable = exported.find((ref) => ref.version !== undefined && versions.includes(ref.version));
  if (usable === undefined) return `exports ${list(exported)}, but this host serves ${wanted} at ${versions}`;
  const process = component.exports.find((ref) => baseName(ref) === 'murmur:driver/process');
  if (kind === 'driver' && process !== undefined) {
    return `exports ${interfaceText(process)}, which makes it a process driver, but the manifest uses it over http`;
  }
  return undefined;
}

function importProblem(ref: InterfaceRef, kind: GuestKind): string | undefined {
  if (ref.package.startsWith('wasi:')) {
    if (ref.version !== undefined && wasiVersion.test(ref.version)) return undefined;
    return `imports ${interfaceText(ref)}, but this host serves wasi at 0.2`;
  }
  const base = baseName(ref);
  const versions = served[base];
  if (versions === undefined)
    return `imports ${interfaceText(ref)}, which this host does not serve${unserved[base] ?? ''}`;
  if (!importsOfKind[kind].includes(base)) return `imports ${interfaceText(ref)}, which no ${kind} may import`;
  if (ref.version !== undefined && versions.includes(ref.version)) return undefined;
  return `imports ${interfaceText(ref)}, but this host serves ${base} at ${versions.join(', ')}`;
}

function baseName(ref: InterfaceRef): string {
  return ref.package === '' ? ref.name : `${ref.package}/${ref.name}`;
}

function list(refs: readonly InterfaceRef[]): string {
  return refs.length === 0 ? 'nothing' : refs.map(interfaceText).join(', ');
}
