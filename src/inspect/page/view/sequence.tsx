/** Messages between actors, in order: one lane per kind of actor, time downwards. */
import { EFFECTS, OUTSIDE, type Arrow } from '../store/lanes.js';
import { actorLabel, clockText, eventLabel, lastPart, clean } from '../store/names.js';
import { memo } from '../store/memo.js';
import { sequenceOf } from '../store/lanes.js';
import { useApp, usePicture } from './app-context.js';
import { Rows } from './rows.js';

const sequence = memo((entries: Parameters<typeof sequenceOf>[0], charts: string, _version: number) =>
  sequenceOf(entries, new Set(charts.split(' '))),
);

export function Sequence() {
  const { model, seek } = useApp();
  const { session, at, axis, isLive } = usePicture();
  const charts = [...model.defs.values()].map(({ id }) => id).join(' ');
  const { lanes, arrows } = sequence(session.entries, charts, session.version);
  if (arrows.length === 0) return <p class="empty">No message was sent yet.</p>;
  const now = isLive ? arrows.length - 1 : arrows.findLastIndex(({ event }) => event.at <= at);
  const place = (lane: string) => (lanes.indexOf(lane) + 0.5) / lanes.length;
  return (
    <div class="sequence" style={{ '--lanes': lanes.length }}>
      <div class="lanes" aria-hidden="true">
        <span class="time" />
        <div>
          {lanes.map((lane) => (
            <span key={lane}>{laneTitle(lane)}</span>
          ))}
        </div>
      </div>
      <Rows
        label="Messages between actors"
        count={arrows.length}
        height={30}
        anchor={now}
        behind={
          <div class="lifelines" aria-hidden="true">
            {lanes.map((lane) => (
              <i key={lane} style={{ left: `${place(lane) * 100}%` }} />
            ))}
          </div>
        }
        row={(index) => {
          const arrow = arrows[index]!;
          const { from, to, event } = arrow;
          const [a, b] = [place(from), place(to)];
          const isSelf = from === to;
          const left = Math.min(a, b);
          const width = isSelf ? 0.5 / lanes.length : Math.abs(a - b);
          const classes = ['arrow', toneOf(arrow), a > b ? 'leftward' : '', isSelf ? 'self' : '', event.at > at ? 'future' : '', index === now ? 'now' : ''];
          return (
            <button type="button" class={classes.join(' ')} title={whole(arrow)} onClick={() => seek(event.at)}>
              <span class="time">{clockText(event.at - axis.start)}</span>
              <span class="track">
                <span class="line" style={{ left: `${left * 100}%`, width: `${width * 100}%` }}>
                  <span class="said">{eventLabel(event.ev.type)}</span>
                </span>
              </span>
              <span class="hidden">{` from ${nameOf(event.from)} to ${nameOf(event.to)}`}</span>
            </button>
          );
        }}
      />
    </div>
  );
}

function laneTitle(lane: string): string {
  return lane === OUTSIDE || lane === EFFECTS ? lane : clean(lane);
}

function nameOf(id: string | undefined): string {
  return id === undefined ? OUTSIDE : actorLabel(id);
}

function whole({ event }: Arrow): string {
  return `${clean(event.ev.type)}: ${event.from === undefined ? OUTSIDE : clean(lastPart(event.from))} to ${clean(lastPart(event.to))}`;
}

function toneOf({ from, event }: Arrow): string {
  const { type } = event.ev;
  if (type.startsWith('xstate.error')) return 'error';
  if (type.startsWith('xstate.done')) return 'done';
  if (type.startsWith('xstate.after')) return 'after';
  return from === OUTSIDE ? 'external' : 'sent';
}
