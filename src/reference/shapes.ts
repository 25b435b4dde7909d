/**
 * The shapes of two files whose readers are written by hand, because what they say and when differs from a manifest's:
 * src/artifacts/manifest.ts and src/lock/parse.ts. A test holds reader and shape together.
 */
import { block, flag, free, integer, named, release, text, word, z } from '../manifest/shape.js';

export const artifactManifestShape = z.object({
  name: text(),
  version: release(),
  runtime: text(),
  implementation: word(['wasm', 'native']),
  execution: text(),
  requires_files: z.nullish(z.array(z.string())),
  description: text(),
  summary: text(),
  tags: z.nullish(z.array(z.string())),
  input_schema: free(),
  input: free(),
  output_schema: free(),
  upstream_auth: block({ header: text(), value: text() }),
  models: named(z.object({ max_output_tokens: integer(), context_window: integer(), max_input_tokens: integer() })),
  needs_gateway: flag(),
  build: free(),
  binding: text(),
  execution_mode: text(),
  commit_policy: text(),
  inference_auth: free(),
  capabilities: free(),
});

export const lockShape = z.object({
  lock_version: integer(),
  artifacts: z.nullish(
    z.array(
      z.object({
        name: text(),
        resolved_version: release(),
        sha256: block({ any: text(), platforms: named(text()) }),
        origin: word(['operator', 'runtime']),
        session: text(),
      }),
    ),
  ),
});
