import { defineConfig } from 'vitest/config';

/** Long runs, kept out of `npm test`: `npx vitest run --config test/soak/vitest.config.ts`. */
export default defineConfig({
  test: {
    root: new URL('../..', import.meta.url).pathname,
    globalSetup: ['test/setup/build.ts'],
    include: ['test/soak/**/*.test.ts'],
    testTimeout: 120_000,
    maxWorkers: 1,
    pool: 'forks',
  },
});
