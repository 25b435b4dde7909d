import { scopeWords } from '../../manifest/scope-words.js';
import { aboveZero, both, type KeyNote, type Notes, notEmpty, notNegative, oneOf } from '../note.js';

/** What a credential may be allowed, each in one spelling. */
const scopeNames = [...new Set(Object.values(scopeWords))];

const share = (about: string): KeyNote => ({
  about,
  default: 0.1,
  rules: '0 to 1',
  code: 'E-MAN-003',
  keywords: { minimum: 0, maximum: 1 },
});
const age: KeyNote = {
  about: 'How old one may get: seconds, or a number with s, m, h or d.',
  rules: 'above zero',
  code: 'E-MAN-003',
  examples: ['30d'],
  keywords: { pattern: '^\\d+[smhd]?$', exclusiveMinimum: 0 },
};
const size: KeyNote = {
  about: 'Largest file: bytes, or a number with Ki, Mi or Gi.',
  default: '10Mi',
  rules: 'above zero',
  code: 'E-MAN-003',
  examples: ['10Mi'],
  keywords: { pattern: '^\\d+(Ki|Mi|Gi)?$', exclusiveMinimum: 0 },
};
const root: KeyNote = {
  about: 'The subfolder of the work folder; it need not exist yet.',
  isRequired: true,
  rules: 'relative, without ".."',
  code: 'E-MAN-003, E-CAP-007',
  examples: ['out'],
};
const retain = (what: string, absent: string, count: string): KeyNote => ({
  about: `How many ${what} are kept. With two rules both must hold.`,
  absent,
  rules: `sets ${count} or max_age`,
  code: 'E-MAN-003',
  keywords: { type: 'object', minProperties: 1 },
});

/** The blocks about a running session: door, context, trace, lifecycle, exports, control. */
export const sessionNotes: Notes = {
  'network.internal_port': {
    about: 'The port of the door.',
    absent: 'a free one',
    rules: '0 to 65535, and not in use',
    code: 'E-MAN-003, E-RUN-010',
    keywords: { minimum: 0, maximum: 65_535 },
  },
  'network.authentication': {
    about: 'Lets nobody in without a token.',
    absent: 'a public door',
    rules: 'not together with spawn.allow',
    code: 'E-MAN-003',
  },
  'network.authentication.scheme': { ...oneOf(['bearer']), about: 'How callers prove themselves.', isRequired: true },
  'network.authentication.credentials': {
    about: 'Tokens with fewer rights than the operator’s, by name.',
    absent: 'only the operator’s',
    rules: 'names of a lowercase letter and up to 31 of a-z, 0-9, "_", "-"; not operator',
    code: 'E-MAN-003',
    keywords: { propertyNames: { pattern: '^(?!operator$)[a-z][a-z0-9_-]{0,31}$' } },
  },
  'network.authentication.credentials.*.scopes': both(notEmpty, {
    about: 'What its holder may call. The names of A2A 1.0, such as GetTask, mean the same.',
    isRequired: true,
    rules: `not empty, each once, of: ${scopeNames.join(', ')}`,
    examples: [['tasks/get', 'stream/watch']],
    keywords: { uniqueItems: true },
  }),

  'context.max_tokens': {
    ...aboveZero,
    about: 'The input budget of one request.',
    absent: 'what the driver knows of the model',
  },
  'context.seed_budget': share('The share of it a continued conversation may start with.'),
  'context.seed_overflow_margin': share('The share of that by which the start may overshoot.'),
  'context.record': { about: 'Whether conversations are kept for later tasks.', default: 'on' },
  'context.record_store': {
    about: 'Where they are kept. Capsules that name one store share it.',
    absent: 'the name of the capsule',
    rules: 'one path segment',
    code: 'E-CAP-011',
    examples: ['ledger'],
  },
  'context.retain': retain('messages', 'all of them', 'max_messages'),
  'context.retain.max_messages': { ...aboveZero, about: 'Most messages of a context.' },
  'context.retain.max_age': age,

  'observability.otel_endpoint': {
    about: 'An OTLP collector that gets the spans.',
    absent: 'none',
    examples: ['http://localhost:4318'],
  },
  'observability.eval': { about: 'How mur eval scores a run.' },
  'observability.eval.dataset_id': { about: 'The data set the run belongs to.' },
  'observability.eval.scorers': { about: 'The scores. One of an unknown type is skipped with a warning.', default: [] },
  'observability.eval.scorers[].type': {
    about: 'exit_ok, max_turns, max_tokens, tool_sequence or llm_judge.',
    isRequired: true,
    examples: ['exit_ok'],
  },
  'observability.eval.scorers[].name': { about: 'What it is called in results.', absent: 'the type' },
  'observability.eval.scorers[].max': {
    about: 'The bound of max_turns and max_tokens.',
    absent: '10 turns, 100000 tokens',
  },
  'observability.eval.scorers[].expected': { about: 'The calls tool_sequence expects, in order.', default: [] },

  'trace.capture': {
    about: 'Nothing of what was said; hashes of it; or all of it, with what tools put out.',
    default: 'meta',
  },
  'trace.retain': retain('sessions', 'all of them', 'max_sessions'),
  'trace.retain.max_sessions': { ...aboveZero, about: 'Most sessions, the running one counted.' },
  'trace.retain.max_age': age,

  'lifecycle.task_acceptance': {
    about: 'Whether tasks come in from outside: none, one, or a queue.',
    default: 'single',
  },
  'lifecycle.after_task': { about: 'End after the task, or wait for the next.', default: 'exit' },
  'lifecycle.queue_depth': { ...notNegative, about: 'Tasks that may wait behind the running one.', default: 1 },
  'lifecycle.input_timeout_secs': {
    ...notNegative,
    about: 'How long a task waits for a person.',
    absent: 'for ever',
  },
  'lifecycle.conversation': { about: 'Each task on its own, or all in one conversation.', default: 'stateless' },
  'lifecycle.max_task_reopens': { ...notNegative, about: 'How often a hook may send a task back.', default: 1 },
  'lifecycle.shell_grace_secs': {
    ...notNegative,
    about: 'How long a command may run before it goes on in the background.',
    default: 10,
  },
  'lifecycle.delegation_deadline_secs': {
    ...notNegative,
    about: 'How long a delegated task may take.',
    default: 600,
  },
  'lifecycle.deadline_notice_secs': {
    ...aboveZero,
    about: 'How long before --deadline the model is told.',
    absent: 'a tenth of the deadline, at most 300',
  },

  'exports.files': { about: 'A folder whose files callers of the door may fetch.', absent: 'none' },
  'exports.files.root': root,
  'exports.files.mode': { ...oneOf(['read-only']), about: 'How.', isRequired: true },
  'exports.files.max_bytes': size,
  'exports.peer_files': { about: 'A folder whose files other capsules may fetch.', absent: 'none' },
  'exports.peer_files.root': root,
  'exports.peer_files.max_ttl': {
    about: 'How long a shared file may be fetched: seconds, or a number with s, m or h.',
    absent: '1h, when the capsule ends with its task',
    rules: 'above zero; at most 15m, and written, with after_task: sleep',
    code: 'E-MAN-003, E-CAP-008',
    examples: ['15m'],
    keywords: { pattern: '^\\d+[smh]?$', exclusiveMinimum: 0 },
  },
  'exports.peer_files.max_bytes': size,
  'exports.peer_tasks': { about: 'Whether other capsules may hand in tasks.', absent: 'refused' },
  'exports.peer_tasks.accept': {
    about: 'Yes or no.',
    isRequired: true,
    rules: 'must be written',
    code: 'E-MAN-003',
  },

  'control.settings': {
    about: 'Settings a controller may change.',
    default: [],
    rules: 'inference.max_tokens, inference.driver; each once; needs inference over http',
    code: 'E-MAN-003',
    keywords: { items: { enum: ['inference.max_tokens', 'inference.driver'] }, uniqueItems: true },
  },
  'control.secrets': {
    about: 'Credentials a controller brings; until then their requests are refused.',
    default: [],
    rules: 'each the gateway.api_key of an entry other than the driver',
    code: 'E-MAN-003',
    examples: [['SEARCH_KEY']],
    keywords: { items: { type: 'string', pattern: '^[A-Z_][A-Z0-9_]*$' }, uniqueItems: true },
  },
  'control.agent_settings': {
    about: 'Settings the model itself may change, with the tool switch-driver.',
    default: [],
    rules: 'inference.driver; needs inference.alternates',
    code: 'E-MAN-003',
    keywords: { items: { enum: ['inference.driver'] }, uniqueItems: true },
  },
};
