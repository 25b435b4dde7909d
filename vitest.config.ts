import { defineConfig } from 'vitest/config';

/** Worker threads run compiled JavaScript: test/setup/build.ts brings `dist` up to date first. */
export default defineConfig({
  test: {
    globalSetup: ['test/setup/build.ts'],
    include: ['test/**/*.test.ts'],
    exclude: ['test/bench/**', 'test/soak/**', 'node_modules/**', 'dist/**'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
    pool: 'forks',
  },
});
