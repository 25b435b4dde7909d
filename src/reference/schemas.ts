import { configShape } from '../home/config-shape.js';
import { manifestShape } from '../manifest/parse.js';
import type { z } from '../manifest/shape.js';
import type { SchemaName } from './names.js';
import type { Notes } from './note.js';
import { artifactNotes } from './notes/artifact.js';
import { capabilityNotes, entryCapabilityNotes } from './notes/capabilities.js';
import { capsuleNotes } from './notes/capsule.js';
import { configNotes } from './notes/config.js';
import { inferenceNotes } from './notes/inference.js';
import { lockNotes } from './notes/lock.js';
import { sessionNotes } from './notes/session.js';
import { artifactManifestShape, lockShape } from './shapes.js';

/** One kind of file: what its keys are, and what there is to say about them. */
export interface FileSchema {
  readonly title: string;
  readonly about: string;
  readonly shape: z.ZodMiniType;
  readonly notes: Notes;
  /** Blocks whose keys mean what they mean in another block, unless they have a note of their own. */
  readonly sameAs: Readonly<Record<string, string>>;
  /** Keywords of JSON Schema for the elements of a list, by path. */
  readonly elements: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

export const schemas: Readonly<Record<SchemaName, FileSchema>> = {
  capsule: {
    title: 'Capsule manifest',
    about: 'murmur.yaml, what mur run launches. A key that is not known is ignored with a warning (W-SEC-019).',
    shape: manifestShape,
    notes: { ...capsuleNotes, ...capabilityNotes, ...entryCapabilityNotes, ...inferenceNotes, ...sessionNotes },
    sameAs: {
      'artifacts[].capabilities': 'capabilities',
      'inference.provider': 'inference.driver',
      'inference.alternates[].driver': 'inference.driver',
    },
    elements: { artifacts: { anyOf: [{ required: ['version'] }, { required: ['source'] }] } },
  },
  artifact: {
    title: 'Artifact manifest',
    about: 'murmur.yaml of a tool, driver, hook or skill. A key that is not known is passed over.',
    shape: artifactManifestShape,
    notes: artifactNotes,
    sameAs: {},
    elements: {},
  },
  config: {
    title: 'Configuration',
    about: 'config.yaml in ~/.murmur, and in .murmur of a project.',
    shape: configShape,
    notes: configNotes,
    sameAs: {},
    elements: {},
  },
  lock: {
    title: 'Lock',
    about: 'murmur.lock, beside murmur.yaml. Written by mur.',
    shape: lockShape,
    notes: lockNotes,
    sameAs: {},
    elements: {},
  },
};
