/** An entry of the log in words: what it is, who it is about, and what it carries. */
import type { Entry } from './model.js';
import { actorLabel, clean, eventLabel, grouped, leafText, plain, shortId } from './names.js';
import { oneLine } from './pick.js';

export const kinds = ['ev', 'snap', 'trace', 'note', 'message'] as const;
export type Kind = (typeof kinds)[number];

export function kindOf(entry: Entry): Kind {
  if (entry.type === 'actor' || entry.type === 'gone') return 'snap';
  return entry.type === 'lost' ? 'note' : entry.type;
}

export function whatOf(entry: Entry): string {
  switch (entry.type) {
    case 'ev':
      return eventLabel(entry.ev.type);
    case 'snap':
      return `→ ${leafText(entry.snap.v) || entry.snap.s}`;
    case 'actor':
      return `+ ${actorLabel(entry.id)}`;
    case 'gone':
      return `− ${actorLabel(entry.id)}`;
    case 'trace':
      return clean(entry.line.event_type);
    case 'note':
      return clean(entry.note.type);
    case 'message':
      return `${clean(entry.message.role)} message`;
    case 'lost':
      return `${grouped(entry.ev + entry.snap + entry.other)} left out`;
  }
}

export function whoOf(entry: Entry): string {
  if (entry.type === 'ev')
    return `${entry.from === undefined ? 'outside' : actorLabel(entry.from)} → ${actorLabel(entry.to)}`;
  if (entry.type === 'snap' || entry.type === 'actor' || entry.type === 'gone') return actorLabel(entry.id);
  if (entry.type === 'trace' && typeof entry.line.task_id === 'string') return `task ${shortId(entry.line.task_id)}`;
  return '';
}

export function detailOf(entry: Entry): string {
  switch (entry.type) {
    case 'ev': {
      const { type: _, actorId: __, ...rest } = entry.ev;
      return Object.keys(rest).length === 0 ? '' : oneLine(JSON.stringify(rest), 120);
    }
    case 'snap':
      return `by ${eventLabel(entry.by)}`;
    case 'trace': {
      const { tool_name, exit_status, decision, status } = entry.line;
      return clean([tool_name, decision, status, exit_status].filter((each) => typeof each === 'string').join(' · '));
    }
    case 'note':
      return oneLine(JSON.stringify(entry.note), 120);
    case 'message':
      return oneLine(
        entry.message.content
          .map((block) => (typeof block.text === 'string' ? block.text : `[${plain(block.type)}]`))
          .join(' '),
        120,
      );
    default:
      return '';
  }
}

export function partOf(entry: Entry): unknown {
  switch (entry.type) {
    case 'ev':
      return { from: entry.from ?? 'outside', to: entry.to, ...entry.ev };
    case 'trace':
      return entry.line;
    case 'note':
      return entry.note;
    case 'message':
      return entry.message;
    case 'snap':
      return { actor: entry.id, by: entry.by, transitions: entry.tr, ...entry.snap };
    default:
      return entry;
  }
}
