import type { Notes } from '../note.js';

const code = 'E-RUN-003';

/** `murmur.lock`. Written by mur; read it, and let mur change it. */
export const lockNotes: Notes = {
  lock_version: { about: 'The form of this file.', isRequired: true, rules: '2', code, keywords: { const: 2 } },
  artifacts: { about: 'What was resolved, pinned.', default: [] },
  'artifacts[].name': { about: 'The artifact.', isRequired: true, rules: 'not blank, pinned once', code },
  'artifacts[].resolved_version': { about: 'The release that was resolved.', isRequired: true, code },
  'artifacts[].sha256': {
    about: 'The hash of its archive: one for all platforms, or one for each.',
    isRequired: true,
    rules: 'any or platforms, not both',
    code,
    keywords: { type: 'object', minProperties: 1, maxProperties: 1 },
  },
  'artifacts[].sha256.any': { about: 'The hash, in lower case hex.', rules: 'not blank', code },
  'artifacts[].sha256.platforms': {
    about: 'Hashes by platform.',
    rules: 'not blank',
    code,
    examples: [{ 'linux-x86_64': '41aa...' }],
  },
  'artifacts[].origin': {
    about: 'Who asked for it: the operator, or a session that pulled it.',
    default: 'operator',
    code,
  },
  'artifacts[].session': {
    about: 'The session that pulled it.',
    rules: 'needed with origin runtime, refused with operator',
    code,
  },
};
