import type { Child } from './child.js';
import type { ChildExit, Ending } from './spec.js';

/** What an ending means for the child. `expected`: the supervisor was taking the child down. */
export function judge(child: Child, ending: Ending, expected: boolean): ChildExit {
  switch (ending.status) {
    case 'error':
      return { kind: 'abnormal', reason: ending.error };
    case 'stopped':
      return { kind: 'shutdown', forced: child.forced || !expected };
    case 'done': {
      const { output } = ending;
      try {
        if (child.spec.isAbnormal?.(output) === true) return { kind: 'abnormal', reason: output };
      } catch (error) {
        return { kind: 'abnormal', reason: error };
      }
      return expected ? { kind: 'shutdown', forced: false, output } : { kind: 'normal', output };
    }
  }
}

/** True when the restart policy brings the child back after an exit nobody asked for. */
export function comesBack(child: Child, exit: ChildExit): boolean {
  if (child.restart === 'permanent') return true;
  return child.restart === 'transient' && exit.kind === 'abnormal';
}
