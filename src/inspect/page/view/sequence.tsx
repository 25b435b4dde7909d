/** Messages between actors, in order: one lane per kind of actor, time downwards. */
import { type Arrow, sequenceOf } from '../store/lanes.js';
import { memo } from '../store/memo.js';
import { indexAt, momentOf } from '../store/model.js';
import { actorLabel, clean, clockText } from '../store/names.js';
import { useApp, usePicture } from './app-context.js';
import { Rows } from './rows.js';

const sequence = memo((entries: Parameters<typeof sequenceOf>[0], charts: string, _version: number) =>
  sequenceOf(entries, new Set(charts.split(' '))),
);

export function Sequence() {
  const { model, ui, set } = useApp();
  const { session, axis } = usePicture();
  const charts = [...model.defs.values()].map(({ id }) => id).join(' ');
  const { lanes, arrows } = sequence(session.entries, charts, session.version);
  if (arrows.length === 0) return <p class="empty">No message was sent yet.</p>;
  const now = indexAt(arrows, ui.cursor) - 1;
  const place = (lane: string) => (lanes.indexOf(lane) + 0.5) / lanes.length;
  return (
    <div class="sequence" style={{ '--lanes': lanes.length }}>
      <div class="lanes" aria-hidden="true">
        <span class="time" />
        <div>
          {lanes.map((lane) => (
            <span key={lane}>{clean(lane)}</span>
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
          const { from, to, entry, label, tone } = arrows[index]!;
          const [a, b] = [place(from), place(to)];
          const isSelf = from === to;
          const width = isSelf ? 0.5 / lanes.length : Math.abs(a - b);
          const when = `${index > now ? 'future' : ''} ${index === now ? 'now' : ''}`;
          return (
            <button
              type="button"
              class={`arrow ${tone} ${a > b ? 'leftward' : ''} ${isSelf ? 'self' : ''} ${when}`}
              title={whole(arrows[index]!)}
              onClick={() => set({ cursor: momentOf(session.entries, entry), playing: false, call: null })}
            >
              <span class="time">{clockText(entry.at - axis.start)}</span>
              <span class="track">
                <span class="line" style={{ left: `${Math.min(a, b) * 100}%`, width: `${width * 100}%` }}>
                  <span class="said">{label}</span>
                </span>
              </span>
            </button>
          );
        }}
      />
    </div>
  );
}

function whole({ entry }: Arrow): string {
  if (entry.type === 'actor') return `${actorLabel(entry.parent ?? '')} starts ${actorLabel(entry.id)}`;
  const from = entry.from === undefined ? 'outside' : actorLabel(entry.from);
  return `${clean(entry.ev.type)}: from ${from} to ${actorLabel(entry.to)}`;
}
