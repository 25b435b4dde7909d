/**
 * Reads from a component's bytes which interfaces it imports and exports, with their versions. The transpiler drops versions
 * from import names, so this is the only place they can be known, and it answers before anything is compiled.
 * Not the decision whether they are served (link.ts).
 */

import { BinaryError, Reader } from '../../workers/wasm-binary.js';
import { MurError } from '../errors/index.js';
import type { InterfaceRef } from './types.js';

export interface Contract {
  readonly imports: readonly InterfaceRef[];
  readonly exports: readonly InterfaceRef[];
}

const importSection = 10;
const exportSection = 11;

/** The contract of component `bytes`. Throws `E-RUN-001` for bytes that are no component. */
export function readContract(name: string, bytes: Uint8Array): Contract {
  try {
    return read(bytes);
  } catch (error) {
    if (!(error instanceof BinaryError)) throw error;
    throw new MurError('E-RUN-001', `artifact "${name}" is not a usable WebAssembly component: ${error.message}`, {
      hint: 'build it as a component for wasm32-wasip2, or with mur build',
    });
  }
}

function read(bytes: Uint8Array): Contract {
  const reader = new Reader(bytes);
  for (const expected of [0x00, 0x61, 0x73, 0x6d]) {
    if (reader.byte() !== expected) throw new BinaryError('it does not start like a WebAssembly binary');
  }
  const version = [reader.byte(), reader.byte(), reader.byte(), reader.byte()].join('.');
  if (version === '1.0.0.0') throw new BinaryError('it is a core module, not a component');
  if (version !== '13.0.1.0') throw new BinaryError(`its binary version ${version} is not known`);
  const imports: InterfaceRef[] = [];
  const exports: InterfaceRef[] = [];
  while (!reader.done) {
    const id = reader.byte();
    const section = reader.slice(reader.u32());
    if (id === importSection) {
      for (let left = section.u32(); left > 0; left -= 1) imports.push(readImport(section));
    } else if (id === exportSection) {
      for (let left = section.u32(); left > 0; left -= 1) exports.push(readExport(section));
    }
  }
  return { imports, exports };
}

function readImport(reader: Reader): InterfaceRef {
  const name = readName(reader);
  skipDescriptor(reader);
  return toInterface(name);
}

function readExport(reader: Reader): InterfaceRef {
  const name = readName(reader);
  if (reader.byte() === 0) reader.byte();
  reader.u32();
  if (reader.byte() === 1) skipDescriptor(reader);
  return toInterface(name);
}

function readName(reader: Reader): string {
  const kind = reader.byte();
  if (kind > 1) throw new BinaryError(`import or export name of kind ${kind} is not known`);
  return reader.name();
}

function skipDescriptor(reader: Reader): void {
  const kind = reader.byte();
  if (kind > 5) throw new BinaryError(`external kind ${kind} is not known`);
  // Kind 0 has a sort byte before its index; kinds 2 and 3 have a bound, of which only one form carries an index.
  if (kind === 0) reader.byte();
  const isSubResource = kind === 3 && reader.peek() === 1;
  if (kind === 2 || kind === 3) reader.byte();
  if (!isSubResource) reader.skipLeb();
}

/** `murmur:tool/run@0.1.0` in its parts. A bare function name has no package. */
function toInterface(text: string): InterfaceRef {
  const match = /^([^/]+:[^/@]+)\/([^@]+)(?:@(.+))?$/.exec(text);
  if (match === null) return { package: '', name: text };
  const [, pack = '', name = '', version] = match;
  return version === undefined ? { package: pack, name } : { package: pack, name, version };
}

/** The text a component uses: `murmur:tool/run@0.1.0`. */
export function interfaceText(ref: InterfaceRef): string {
  const base = ref.package === '' ? ref.name : `${ref.package}/${ref.name}`;
  return ref.version === undefined ? base : `${base}@${ref.version}`;
}
