import type { DispatchOutcome } from './call.js';
import type { ArtifactOrigin } from './definition.js';
import { fence, fenceSource } from './fence.js';
import { errorResult } from './result.js';

/**
 * A skill call's outcome: the file's text (spec/tools.md 3.3). Text of an operator's skill is guidance and unfenced; text a
 * session pulled is data and fenced as `skill:<name>`. Input is ignored.
 */
export function skillOutcome(name: string, text: string, origin: ArtifactOrigin): DispatchOutcome {
  const source = fenceSource.skill(name);
  const fenced = origin === 'runtime';
  return {
    result: {
      status: 'passed',
      summary: `Skill ${name} guidance`,
      data: fenced ? fence(source, text) : text,
      dataPath: undefined,
      truncated: false,
      metadata: [],
    },
    isSkill: true,
    ...(fenced ? { fenceSource: source } : {}),
  };
}

/** The outcome when the skill's file cannot be read. */
export function unreadableSkill(name: string, reason: string): DispatchOutcome {
  return { result: errorResult(`Skill '${name}' could not be read: ${reason}`), isSkill: true };
}
