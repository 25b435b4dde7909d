/**
 * Values a shell offers where neither the command's choices nor its placeholder say them: by the place, as in `run --bind` or
 * `config set <key>`. Offered, not enforced: whatever else the command accepts can still be typed.
 */
import { charts } from '../../machines/index.js';
import { afterTasks, taskAcceptances } from '../manifest/lifecycle.js';
import { betaFeatures } from './beta-features.js';
import { settableKeys } from './config-keys.js';

export const completionValues: Readonly<Record<string, readonly string[] | 'file' | 'directory'>> = {
  'run --task': 'file',
  'run --bind': ['127.0.0.1', '0.0.0.0', '::1'],
  'run --lifecycle-task-acceptance': taskAcceptances,
  'run --lifecycle-after-task': afterTasks,
  'chart <what>': Object.keys(charts),
  'chart --machine': Object.keys(charts),
  'config set <key>': [...settableKeys, 'credentials.'],
  'config unset <key>': [...settableKeys, 'credentials.'],
  'config get <key>': [
    ...settableKeys,
    'containment',
    'inspect',
    'network.private_names',
    'spend.machine_tokens_per_day',
  ],
  'beta enable <feature>': Object.keys(betaFeatures),
  'beta disable <feature>': Object.keys(betaFeatures),
};
