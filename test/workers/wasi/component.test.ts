/** The attacks again, from inside real components, through the whole host. */
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { openArtifacts } from '../../artifacts/component/host.js';
import { secret } from './folder.js';
import { startSwapper } from './swapper.js';

const host = openArtifacts();
afterAll(() => host[Symbol.asyncDispose]());

describe('a real component', () => {
  it('reads and writes only inside while another process swaps the folder and a link to the outside', async () => {
    const outside = join(host.folder, '..', 'outside');
    mkdirSync(outside);
    writeFileSync(join(outside, 'secret.txt'), secret);
    await host.call('mur-tool-files', { action: 'list' });
    const swapper = await startSwapper({ work: host.folder, outside });
    const seen = { inside: 0, refused: 0 };
    try {
      const until = performance.now() + 1000;
      for (let round = 0; performance.now() < until; round += 1) {
        const input =
          round % 2 === 0
            ? { action: 'read', path: 'swap/secret.txt' }
            : { action: 'write', path: 'swap/made.txt', content: 'x' };
        const outcome = await host.call('mur-tool-files', input);
        if (outcome.status !== 'returned') throw new Error(outcome.failure.message);
        expect(outcome.result?.data ?? '').not.toContain(secret);
        if (outcome.result?.status === 'passed') seen.inside += 1;
        else seen.refused += 1;
      }
    } finally {
      await swapper.stop();
    }
    expect(seen.inside).toBeGreaterThan(0);
    expect(readdirSync(outside)).toEqual(['secret.txt']);
  });

  it('sees HTTP-request-denied for a host that is not allowed, as a failure it can report', async () => {
    const input = { model: 'm', max_tokens: 10, messages: [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }] };
    const env = { MURMUR_INFERENCE_ENDPOINT: 'https://api.example.com/v1' };
    const outcome = await host.call('mur-driver-openai', input, { env });
    if (outcome.status !== 'returned') throw new Error(outcome.failure.message);
    expect(JSON.stringify(outcome.result)).toMatch(/HTTP-request-denied/i);
  });
});
