import { expect, test } from 'vitest';
import { parseConfig } from '../../src/home/config.js';
import { configEntries } from '../../src/home/config-list.js';

const secret = 'sk-0199-never-shown';

test('a key in the name of a credential, or before the @ of an address, is in no entry', () => {
  const text = `
credentials: { ${secret}: x, GOOD: y }
inference: { endpoint: 'https://me:${secret}@models.example/v1?a=b@c' }
registry:
  index_url: https://${secret}@index.example/i.json
  sources:
    - { name: a, type: github, repo: https://${secret}@github.com/acme/tools }
    - { name: b, type: github, repo: ${secret}@acme/tools, url: https://u:${secret}@git.example }
`;
  const entries = configEntries(parseConfig(text, 'config.yaml'), undefined);
  expect(JSON.stringify(entries)).not.toContain(secret);
  expect(Object.fromEntries(entries.map(({ key, value }) => [key, value]))).toMatchObject({
    'credentials.GOOD': true,
    'inference.endpoint': 'https://models.example/v1?a=b@c',
    'registry.index_url': 'https://index.example/i.json',
    'registry.sources.a': { repo: 'https://github.com/acme/tools' },
    'registry.sources.b': { repo: 'acme/tools', url: 'https://git.example' },
  });
});
