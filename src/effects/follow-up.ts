import { userMessage } from '../inference/index.js';
import type { FollowUp } from '../task/index.js';
import { fence } from '../tools/index.js';
import type { TaskWork } from './work.js';
import type { SessionWorld } from './world.js';

/** What the model is told of a message: one that nobody vouches for stands in a fence (spec/door.md section 7). */
export function toldText({ text, origin, trust }: Pick<FollowUp, 'text' | 'origin' | 'trust'>): string {
  return trust === 'untrusted' ? fence(`task:${origin}`, text) : text;
}

/** Messages that came for a task while it waited or worked join its conversation, oldest first. */
export function appendFollowUps(world: SessionWorld, work: TaskWork): void {
  for (const message of world.registry.takeFollowUps(work.request.taskId)) work.append(userMessage(toldText(message)));
}
