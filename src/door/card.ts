import type { TaskAcceptance } from '../task/index.js';

/** The facts a card is made of. */
export interface CardInput {
  readonly sessionId: string;
  readonly name: string;
  readonly version: string;
  readonly acceptance: TaskAcceptance;
  /** Artifacts the model can call, in install order. */
  readonly tools: readonly string[];
  /** `capabilities.shell.allow` names something. */
  readonly shell: boolean;
  /** `capabilities.network.allow` names something. */
  readonly network: boolean;
  /** `exports.peer_tasks.accept`. */
  readonly acceptsPeerTasks: boolean;
}
