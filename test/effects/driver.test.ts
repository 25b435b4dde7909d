import { afterAll, beforeAll, expect, test } from 'vitest';
import { Library } from './run.js';

let library: Library;
beforeAll(() => {
  library = new Library();
});
afterAll(() => library.close());

test("a model that cannot be reached is reported under the operator's endpoint, not the address the guest sees", async () => {
  const { result } = await library.run(`
name: unreachable
version: "0.1.0"
artifacts:
  - name: mur-driver-anthropic
    version: "0.1.0"
    runtime: driver
    gateway: { endpoint: "https://models.invalid/proxy/", keyless: true }
inference:
  model: claude-haiku-4-5
  max_tokens: 16
  driver: { artifact: mur-driver-anthropic }
`);
  expect(result.status).toBe('failed');
  expect(result.error?.message).toMatch(
    /: POST https:\/\/models\.invalid\/proxy\/v1\/messages failed: no response: DNS-error \((ENOTFOUND|EAI_AGAIN)\)$/,
  );
});
