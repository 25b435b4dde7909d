import { defineConfig } from 'vitest/config';

/** Long runs that look for leaks and slow drift. `MUR_SOAK_SECONDS` shortens each. */
export default defineConfig({
  test: {
    globalSetup: ['test/setup/build.ts'],
    include: ['test/soak/**/*.test.ts'],
    testTimeout: 30 * 60_000,
    hookTimeout: 60_000,
    maxWorkers: 1,
    pool: 'forks',
    passWithNoTests: true,
  },
});
