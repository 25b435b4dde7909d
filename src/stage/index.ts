/**
 * Staging: from a launch request to a session that could run, step by step (spec/session.md section 4). Runs nothing of the
 * capsule. Each step is one state of the session chart; this folder knows no chart.
 * Read next: request.ts (what is asked), draft.ts (what the steps fill in), then the steps in the order below.
 */
import { check } from './check.js';
import { compile } from './compile.js';
import { contain, probe } from './contain.js';
import { resolve } from './resolve.js';
import { validate } from './validate.js';
import { write } from './write.js';

export { StageDraft } from './draft.js';
export { mint } from './mint.js';
export type { StageRequest } from './request.js';
export { taskLimitBytes } from './write.js';

/** The steps in order; `mint` comes between `compile` and `write`, because it answers with the session's id. */
export const stageSteps = { validate, probe, contain, resolve, check, compile, write } as const;

export type StageStep = keyof typeof stageSteps;
