import { configDefaults, defineConfig } from 'vitest/config';
import { LongFirst } from './test/setup/order.js';

const common = ['test/bench/**', 'test/soak/**', ...configDefaults.exclude];

/**
 * Tests of code without effects: they start no process and no thread, open no socket, and change nothing of their own process. So
 * their files share one, which loads the code once instead of once per file.
 */
const pure = [
  'test/{diagram,errors,formation,inference,machines,manifest,policy,reference,scope,task,text,tools}/**/*.test.ts',
  'test/{diagrams,imports}.test.ts',
];

/** Worker threads run compiled JavaScript: test/setup/build.ts brings `dist` up to date first. */
export default defineConfig({
  test: {
    globalSetup: ['test/setup/build.ts'],
    // For a machine that does much else. What happens ends a wait, not these.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 20_000 } },
    // On two cores: many tests wait for processes rather than work, and a third fills the time.
    maxWorkers: 3,
    pool: 'forks',
    sequence: { sequencer: LongFirst },
    projects: [
      { extends: true, test: { name: 'pure', include: pure, exclude: common, isolate: false } },
      { extends: true, test: { name: 'real', include: ['test/**/*.test.ts'], exclude: [...common, ...pure] } },
    ],
  },
});
