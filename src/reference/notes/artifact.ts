import { aboveZero, type Notes, oneOf } from '../note.js';

const text = (about: string) => ({ about });

/** `murmur.yaml` inside an artifact. */
export const artifactNotes: Notes = {
  name: {
    about: 'What the artifact is called.',
    isRequired: true,
    rules: 'an artifact name',
    code: 'E-MAN-001, E-BLD-001',
    examples: ['csv-merge'],
    keywords: { pattern: '^[a-z0-9](?:[a-z0-9-]{0,98}[a-z0-9])?(?:/[a-z0-9](?:[a-z0-9-]{0,98}[a-z0-9])?)?$' },
  },
  version: {
    about: 'Its release. An unquoted number keeps its text.',
    isRequired: true,
    rules: 'one path segment; latest, stable and edge cannot be published',
    code: 'E-MAN-001, E-REG-004',
    examples: ['1.0.0'],
  },
  runtime: {
    about: 'What it is: tool, driver, hook or skill.',
    isRequired: true,
    rules: 'not blank',
    code: 'E-MAN-001',
    examples: ['tool'],
  },
  implementation: { about: 'Of a tool: a component, or a program per platform.', default: 'wasm' },
  execution: {
    ...oneOf(['wasm', 'native', 'static']),
    about: 'How it is packed.',
    absent: 'static for a skill, native for a native tool, else wasm',
    rules: 'wasm, native or static, in any case',
    keywords: { examples: ['wasm', 'native', 'static'] },
  },
  requires_files: {
    about: 'Files that go into the archive beside the payload.',
    absent: 'skill.md for a skill, else none',
    rules: 'inside the project, no links, each packed once',
    code: 'E-BLD-002, E-IO-003',
    examples: [['README.md']],
  },
  description: text('What it does, in a sentence or two. Models read it.'),
  summary: text('The same in a few words, for listings.'),
  tags: { about: 'Words to find it by.', default: [], examples: [['csv', 'files']] },
  input_schema: { about: 'The input of a tool, as JSON Schema: a mapping, or its JSON text.', absent: 'unchecked' },
  input: { about: 'The older name of input_schema.', keywords: { deprecated: true } },
  output_schema: { about: 'The output of a tool, for readers.' },
  upstream_auth: {
    about: 'The header its upstream wants the key in. Needed behind a gateway.',
    rules: 'a header and a value',
    code: 'E-RUN-025',
  },
  'upstream_auth.header': {
    about: 'The name of the header.',
    isRequired: true,
    rules: 'none of those that steer a connection',
    code: 'E-RUN-025',
    examples: ['authorization'],
  },
  'upstream_auth.value': {
    about: 'Its value, with {key} where the key goes.',
    isRequired: true,
    rules: 'holds {key} once',
    code: 'E-RUN-025',
    examples: ['Bearer {key}'],
    keywords: { pattern: '\\{key\\}' },
  },
  models: { about: 'Of a driver: what its models take and give, by exact model id.', absent: 'not known' },
  'models.*.max_output_tokens': { ...aboveZero, about: 'Most tokens of one answer.', isRequired: true },
  'models.*.context_window': { ...aboveZero, about: 'Tokens of input and output together.', isRequired: true },
  'models.*.max_input_tokens': { ...aboveZero, about: 'Most tokens of input, when that is less.' },
  needs_gateway: { about: 'Of a driver: false when it opens no connection.', default: true },
  build: {
    about:
      'What mur build compiles to the component: { source: src/main.ts }. With raw: true the source exports the WIT interface itself. Only mur build reads it.',
    absent: 'nothing is compiled',
  },
  binding: {
    about: 'Of a hook: the event it is called for, such as on-task-start.',
    absent: 'every event but staging',
    examples: ['on-task-start'],
  },
  execution_mode: { about: 'Of a hook: blocking, or async.', default: 'blocking' },
  commit_policy: { about: 'Of a hook: what its answer may change.', default: 'none', examples: ['replace-context'] },
  inference_auth: {
    about: 'The retired name of upstream_auth.',
    rules: 'must be absent',
    code: 'E-BLD-004, E-RUN-025',
    keywords: { not: {} },
  },
  capabilities: text('Has no effect: only the manifest of a capsule grants.'),
};
