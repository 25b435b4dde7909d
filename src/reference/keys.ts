import { partsOf, type z } from '../manifest/shape.js';
import type { KeyNote } from './note.js';
import type { FileSchema } from './schemas.js';

/** One key of a file: where it stands and what its shape is. */
export interface Key {
  /** `artifacts[].gateway.endpoint`. */
  readonly path: string;
  readonly schema: z.core.$ZodType;
}

/** Every key of a shape, each block before its keys, in the order declared. */
export function keysOf(schema: z.core.$ZodType, path = ''): readonly Key[] {
  const { keys, element } = partsOf(schema);
  if (element !== undefined) return keysOf(element, `${path}${partsOf(schema).isNamed ? '.*' : '[]'}`);
  return Object.entries(keys ?? {}).flatMap(([name, child]) => {
    const at = path === '' ? name : `${path}.${name}`;
    return [{ path: at, schema: child }, ...keysOf(child, at)];
  });
}

/** What there is to say about the key at `path`: its own note, or that of the block it means the same as. */
export function noteOf({ notes, sameAs }: FileSchema, path: string): KeyNote | undefined {
  if (Object.hasOwn(notes, path)) return notes[path];
  const block = Object.keys(sameAs).find((start) => path.startsWith(`${start}.`));
  return block === undefined ? undefined : notes[`${sameAs[block]}${path.slice(block.length)}`];
}
