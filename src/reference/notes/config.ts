// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the config writes references so
import { aboveZero, type Notes } from '../note.js';

const broken = 'E-IO-003';

/** `config.yaml`, the operator's file and the project's. */
export const configNotes: Notes = {
  registry: { about: 'Where artifacts come from.' },
  'registry.default': { about: 'The source that is asked first.', default: 'official' },
  'registry.index_url': { about: 'The index that mur search reads.', absent: 'that of the official artifacts' },
  'registry.sources': { about: 'Sources, asked in this order after the first.', absent: 'the official one' },
  'registry.sources[].name': { about: 'What it is called.', isRequired: true, rules: 'not blank', code: broken },
  'registry.sources[].type': { about: 'What it is.', default: 'github', code: broken },
  'registry.sources[].repo': { about: 'The repository.', isRequired: true, examples: ['acme/artifacts'] },
  'registry.sources[].url': { about: 'Another address of its API.' },
  'registry.sources[].token': {
    about: 'A token: ${NAME} or the name of a variable, or (discouraged) its text.',
    absent: 'GITHUB_TOKEN',
  },
  inference: { about: 'What mur new writes into a new capsule. Global file only.' },
  'inference.provider': { about: 'The provider.', examples: ['anthropic'] },
  'inference.model': { about: 'The model.' },
  'inference.endpoint': { about: 'Its address, when it is not the provider’s own.' },
  'inference.api_key': { about: 'The key of the generator itself.' },
  credentials: {
    about: 'Keys, by the names that manifests refer to. Read again while sessions run. Global file only.',
    rules: 'names of capital letters, digits and "_"',
    keywords: { propertyNames: { pattern: '^[A-Z_][A-Z0-9_]*$' } },
  },
  beta: { about: 'Commands that are not finished.' },
  'beta.enabled': { about: 'Those that may be used.', default: [] },
  containment: {
    about: 'The least containment of every capsule. The strongest of all who asked holds.',
    absent: 'no vote',
    code: broken,
  },
  spend: { about: 'What all sessions of this machine may use together.' },
  'spend.machine_tokens_per_day': { ...aboveZero, about: 'Most tokens a day.', absent: 'not counted', code: broken },
  host_paths: { about: 'Folders lent to the commands of contained sessions. Global file only.', default: [] },
  'host_paths[].path': {
    about: 'The folder. "~" is the home of whoever runs mur.',
    isRequired: true,
    rules: 'absolute, not the root, named once',
    code: 'E-CAP-901',
    examples: ['~/datasets'],
  },
  'host_paths[].access': { about: 'How.', isRequired: true, code: 'E-CAP-901' },
  network: { about: 'What names may mean. Global file only.' },
  'network.private_names': {
    about: 'Names that may resolve to private addresses.',
    default: [],
    examples: [['registry.internal']],
  },
  inspect: { about: 'Opens the inspection page of every session.', default: false },
};
