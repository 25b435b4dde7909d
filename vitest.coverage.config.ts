import { defineConfig } from 'vitest/config';

/** How much of the code that reads what others wrote is run by its tests: manifests, locks, archives. */
export default defineConfig({
  test: {
    globalSetup: ['test/setup/build.ts'],
    include: ['test/{manifest,policy,lock,artifacts}/**/*.test.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    maxWorkers: 2,
    pool: 'forks',
    coverage: {
      enabled: true,
      provider: 'v8',
      include: ['src/manifest/**/*.ts', 'src/lock/**/*.ts', 'src/artifacts/**/*.ts'],
      reporter: ['text'],
      thresholds: { branches: 95 },
    },
  },
});
