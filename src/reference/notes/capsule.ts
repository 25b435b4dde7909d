// biome-ignore-all lint/suspicious/noTemplateCurlyInString: manifests write references so
import { artifactRoles } from '../../manifest/index.js';
import { type Notes, oneOf } from '../note.js';

const namePattern = '^[a-z0-9](?:[a-z0-9-]{0,98}[a-z0-9])?(?:/[a-z0-9](?:[a-z0-9-]{0,98}[a-z0-9])?)?$';

/** The top level of a capsule manifest, and `artifacts`. */
export const capsuleNotes: Notes = {
  name: {
    about: 'What the capsule is called in records, stores and listings.',
    isRequired: true,
    rules: 'not blank',
    code: 'E-MAN-001',
    examples: ['ledger-keeper'],
    keywords: { minLength: 1 },
  },
  version: {
    about: 'The release of the capsule. An unquoted number keeps its text: 1.10 stays 1.10.',
    isRequired: true,
    rules: 'not blank',
    code: 'E-MAN-001',
    examples: ['0.3.1'],
  },
  mur_version: {
    about: 'The mur this capsule was written for. Another one runs it with a warning.',
    absent: 'any',
    examples: ['0.4.0'],
  },
  artifacts: { about: 'The tools, drivers, hooks and skills of the capsule.', default: [] },
  capabilities: {
    about: 'What the capsule may do. Nothing that is not named is granted.',
    absent: 'everything denied',
  },
  network: { about: 'The door of the capsule, where tasks come in. Not what it may reach.', absent: 'a free port' },
  inference: { about: 'The model and the driver that talks to it.', absent: 'a script capsule' },
  context: { about: 'How much of a conversation is kept and shown to the model.' },
  observability: { about: 'Where spans go, and how a run is scored.' },
  trace: { about: 'What the trace file holds, and how long sessions are kept.' },
  lifecycle: { about: 'Which tasks a session takes, and what it does after one.' },
  exports: { about: 'What others may fetch from the work folder, or hand in.', absent: 'nothing' },
  control: { about: 'What a controller may change while the session runs.', absent: 'no control surface' },
  registry: { about: 'Where this project installs from and publishes to.', absent: 'local stores' },
  'registry.default': {
    about: 'The local stores, or the registry of this machine.',
    absent: 'local',
    rules: 'local or remote, checked by mur install and mur publish',
    code: 'E-IO-003',
    keywords: { enum: ['local', 'remote'] },
  },
  'registry.remote_url': {
    about: 'The address of a registry. Wins over registry.default.',
    examples: ['https://registry.example.net'],
  },
  runtime: { about: 'A key of an artifact manifest in the same file; a run reads nothing of it.' },
  implementation: { about: 'A key of an artifact manifest in the same file; a run reads nothing of it.' },
  execution: { about: 'A key of an artifact manifest in the same file; a run reads nothing of it.' },
  requires_files: { about: 'A key of an artifact manifest in the same file; a run reads nothing of it.' },
  config: {
    about: 'Refused: configuration belongs to one artifact, so it is written in its entry.',
    rules: 'must be absent',
    code: 'E-MAN-003',
    keywords: { not: {} },
  },

  'artifacts[].name': {
    about: 'The artifact, as <name> or <scope>/<name>. Models call it by the last part.',
    isRequired: true,
    rules: 'a-z, 0-9 and "-" in each part, 1 to 100 characters; the last part is used once',
    code: 'E-MAN-003',
    examples: ['csv-merge', 'acme/csv-merge'],
    keywords: { pattern: namePattern },
  },
  'artifacts[].version': {
    about: 'The release to use. An unquoted number keeps its text.',
    absent: 'needed, unless source is set',
    rules: 'one path segment',
    code: 'E-MAN-003',
    examples: ['1.4.0'],
    keywords: { pattern: '^[^./\\\\][^/\\\\]*$' },
  },
  'artifacts[].runtime': {
    ...oneOf(artifactRoles),
    about: 'What it is. Models see tools and skills; drivers and hooks stay hidden.',
    default: 'tool',
  },
  'artifacts[].source': {
    about: 'A folder or file of this machine to take it from, relative to the manifest.',
    rules: 'needs local_source, which skills have',
    code: 'E-MAN-003',
    examples: ['./skills/house-style'],
  },
  'artifacts[].local_source': {
    about: 'Allows source. Such an artifact is read anew on each launch and never locked.',
    absent: 'true for a skill, else false',
  },
  'artifacts[].prompt_payload': {
    about: 'Lets inference.system_prompt_artifact name it.',
    absent: 'true for a skill, else false',
  },
  'artifacts[].capabilities': {
    about: 'What this one may do: a tool or driver gets less than the capsule, a hook only this.',
    absent: 'the capsule’s for a tool or driver, nothing for a hook',
    rules: 'not on a skill',
    code: 'E-MAN-003',
  },
  'artifacts[].config': {
    about: 'Settings of the artifact, handed to it as JSON in MURMUR_ARTIFACT_CONFIG.',
    rules: 'a mapping of at most 65536 bytes as JSON; not on a skill',
    code: 'E-CAP-010',
    keywords: { type: 'object' },
  },
  'artifacts[].gateway': {
    about: 'Where its keyed requests go. The runtime puts the key in; the artifact never holds it.',
    rules: 'needed by an HTTP driver that is used; not on a skill or an unused driver',
    code: 'E-MAN-003',
  },
  'artifacts[].gateway.endpoint': {
    about: 'The upstream. https, or http toward this machine.',
    isRequired: true,
    rules: 'no userinfo, query, fragment or ${...}',
    code: 'E-MAN-003',
    examples: ['https://api.example.com', 'http://localhost:11434'],
    keywords: { pattern: '^[Hh][Tt][Tt][Pp][Ss]?://[^?#@\\s]+$' },
  },
  'artifacts[].gateway.api_key': {
    about: 'The key: a reference to a credential of the config or to a variable, or (discouraged) its text.',
    rules: 'this or keyless: true',
    code: 'E-CAP-018',
    examples: ['${ANTHROPIC_API_KEY}'],
  },
  'artifacts[].gateway.keyless': {
    about: 'The upstream takes requests without a key.',
    default: false,
    rules: 'not together with api_key',
    code: 'E-MAN-003',
  },
  'artifacts[].on_overflow': {
    ...oneOf(['drop', 'block']),
    about: 'What happens to an event when the queue of a hook is full.',
    default: 'drop',
    rules: 'drop or block; hooks only',
  },
};
