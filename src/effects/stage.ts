import { fromPromise } from 'xstate';
import type { MintOutcome, StepOutcome } from '../../machines/session/machine.js';
import { needed } from '../stage/draft.js';
import { mint, type StageStep, stageSteps } from '../stage/index.js';
import { BlobStore, TraceWriter } from '../trace/index.js';
import { outcomeOf } from './outcome.js';
import type { SessionWorld } from './world.js';

/** One staging step as an actor. */
export const stageStep = (world: SessionWorld, name: StageStep) =>
  fromPromise<StepOutcome, null>(() => {
    world.draft.notify({ type: 'stage.entered', step: name });
    return outcomeOf(async () => {
      await stageSteps[name](world.draft);
      return {};
    });
  });

/** Mints the session and opens its trace, so that a launch that dies from here on leaves one. */
export const mintSession = (world: SessionWorld) =>
  fromPromise<MintOutcome, null>(() => {
    const { draft } = world;
    draft.notify({ type: 'stage.entered', step: 'mint' });
    return outcomeOf(() => {
      const { sessionId } = mint(draft);
      const folders = needed(draft.folders, 'mint');
      const trace = new TraceWriter({
        records: folders.recordsRoot,
        sessionId,
        clock: draft.clock,
        redact: world.secrets.redact,
        onLostLine: (message) => world.log.write({ level: 'warn', message }),
      });
      draft.scope.use('trace', () => trace.close());
      world.trace = trace;
      if (draft.request.trace.capture === 'content') world.blobs = new BlobStore(folders.recordsRoot);
      world.recorder.open(folders.recordsRoot, sessionId, world.secrets.redact);
      draft.scope.use('event log', () => world.recorder.close());
      draft.notify({
        type: 'session.staged',
        sessionId,
        workdir: folders.accessibleWorkdir,
        recordsDir: folders.recordsDir,
        hasDoor: draft.request.inference !== undefined,
        name: draft.request.capsuleName,
        version: draft.request.capsuleVersion,
        ...(draft.driver === undefined ? {} : { driver: draft.driver.artifact.fullName, model: draft.driver.model }),
        skills: needed(draft.resolved, 'resolve').filter(({ role }) => role === 'skill').length,
      });
      return { sessionId };
    });
  });
