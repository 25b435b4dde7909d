import { defineConfig } from 'vitest/config';

/** Worker threads run compiled JavaScript: test/setup/build.ts brings `dist` up to date first. */
export default defineConfig({
  test: {
    globalSetup: ['test/setup/build.ts'],
    include: ['test/**/*.test.ts'],
    exclude: ['test/bench/**', 'test/soak/**', 'node_modules/**', 'dist/**'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // One more than the two cores this is made for: many tests wait for processes, timers and sockets.
    maxWorkers: 3,
    pool: 'forks',
  },
});
