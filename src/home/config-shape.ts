/** `config.yaml` (spec/config.md section 2), in the vocabulary of manifest blocks. `mur schema config` publishes it. */
import { containmentClasses } from '../manifest/containment.js';
import { block, flag, integer, list, named, text, texts, word, z } from '../manifest/shape.js';

/** What the owner of this machine may lend to commands of a session. */
export const hostPathAccesses = ['read', 'read-write'] as const;

export const configShape = z.object({
  registry: block({
    default: text(),
    index_url: text(),
    sources: list(
      z.object({
        name: text(),
        type: word(['github']),
        repo: text(),
        url: text(),
        token: text(),
      }),
    ),
  }),
  inference: block({ provider: text(), model: text(), endpoint: text(), api_key: text() }),
  credentials: named(text()),
  beta: block({ enabled: texts() }),
  containment: word(containmentClasses),
  spend: block({ machine_tokens_per_day: integer() }),
  host_paths: list(z.object({ path: text(), access: word(hostPathAccesses) })),
  network: block({ private_names: texts() }),
  inspect: flag(),
});

export type RawConfig = z.infer<typeof configShape>;
