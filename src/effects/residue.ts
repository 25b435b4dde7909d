import type { ResidueItem } from '../door/index.js';
import type { OutstandingCommand } from './command.js';
import type { SessionWorld } from './world.js';

/** What runs on after a cancel, and is ended with the session: its background commands, by id (spec/door.md 14). */
export function residueOf({ commands }: SessionWorld): readonly ResidueItem[] {
  return (commands?.outstanding() ?? []).map(itemOf);
}

/** Their ids, for the line of a canceled task. */
export function detachedWorkIds({ commands }: SessionWorld): readonly string[] {
  return (commands?.outstanding() ?? []).map(({ workId }) => workId);
}

function itemOf({ workId, binary, command, startedAtMs }: OutstandingCommand): ResidueItem {
  return {
    kind: 'detached_shell',
    work_id: workId,
    binary,
    command,
    started_at_ms: startedAtMs,
    ends_with_session: true,
  };
}
