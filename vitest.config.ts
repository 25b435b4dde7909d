import { defineConfig } from 'vitest/config';

/** Workers run as compiled JavaScript, so `npm test` builds before it starts vitest. */
export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/bench/**', 'test/soak/**', 'node_modules/**', 'dist/**'],
    testTimeout: 20_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
    pool: 'forks',
  },
});
