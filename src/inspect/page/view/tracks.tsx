/** What the timeline shows on its axis: labels, phases, strokes of events, bars of calls. */
import { type Axis, ticksOf } from '../store/axis.js';
import type { Call } from '../store/call.js';
import { memo } from '../store/memo.js';
import type { SessionModel } from '../store/model.js';
import { clean, clockText, duration, toolLabel } from '../store/names.js';
import { phasesOf } from '../store/phases.js';
import { callTitle, summaryOf, tookText } from '../store/pick.js';
import type { Window } from '../store/window.js';
import { useApp, usePicture } from './app-context.js';

/** For styles. */
export function percent(part: number): string {
  return `${Math.round(part * 1e5) / 1e3}%`;
}

/** At `part` of the width of the tracks. Moved, not laid out: as time passes, everything here wanders left. */
export function along(part: number) {
  return { translate: percent(part).replace('%', 'cqw') };
}

export function Ruler({
  axis,
  view,
  x,
  width,
}: {
  axis: Axis;
  view: Window;
  x: (at: number) => number;
  width: number;
}) {
  const ticks = ticksOf(axis, view.from, view.to, Math.max(3, Math.floor(width / 90)));
  return (
    <div class="track ruler" aria-hidden="true">
      {ticks.map((at) => (
        <span key={at} style={along(x(at))}>
          {shortClock(at - axis.start)}
        </span>
      ))}
      {axis.gaps.map((gap) => (
        <span key={`gap ${gap.from}`} class="gap-name" style={along((x(gap.from) + x(gap.to)) / 2)}>
          {duration(gap.to - gap.from)}
        </span>
      ))}
    </div>
  );
}

function shortClock(ms: number): string {
  if (ms < 60_000) return `${Number((ms / 1_000).toFixed(3))} s`;
  return clockText(ms).replace(/\.\d+$/, '');
}

const phases = memo((session: SessionModel, _version: number) => phasesOf(session));

export function Phases({ session, x, width }: { session: SessionModel; x: (at: number) => number; width: number }) {
  return (
    <div class="track phases">
      {phases(session, session.version).map(({ name, from, to }) => {
        const [left, right] = [x(from), to === null ? 1 : x(to)];
        return (
          <div
            key={`${name} ${from}`}
            class={`phase p-${name.replace(/[^a-z]/g, '')}`}
            style={{ ...along(left), width: percent(Math.max(0, right - left)) }}
            title={name}
          >
            {(right - left) * width > 60 && <span>{name}</span>}
          </div>
        );
      })}
    </div>
  );
}

const strokes = memo(
  ({ entries }: SessionModel, axis: Axis, from: number, to: number, width: number, _version: number) => {
    const columns = new Map<number, number>();
    for (const entry of entries) {
      if (entry.type !== 'ev') continue;
      const part = (axis.position(entry.at) - from) / (to - from);
      if (part < 0 || part > 1) continue;
      const column = Math.round(part * width);
      columns.set(column, (columns.get(column) ?? 0) + 1);
    }
    return [...columns]
      .map(([column, count]) => {
        const tall = Math.min(16, 5 + count * 2);
        return `M${column + 0.5} ${10 - tall / 2}v${tall}`;
      })
      .join('');
  },
);

/** Events as strokes, one for each pixel that has any, in one path. */
export function Ticks({
  session,
  axis,
  view,
  width,
}: {
  session: SessionModel;
  axis: Axis;
  view: Window;
  width: number;
}) {
  return (
    <div class="track ticks" aria-hidden="true">
      <svg width={width} height="20" aria-hidden="true">
        <path d={strokes(session, axis, view.from, view.to, width, session.version)} />
      </svg>
    </div>
  );
}

export function Bars({ x, width }: { x: (at: number) => number; width: number }) {
  const { ui, openCall } = useApp();
  const { calls, at } = usePicture();
  const last = { driver: -1, other: -1 };
  const shown = calls.filter((call) => {
    const [from, to] = [x(call.start), x(call.end ?? Math.max(call.start, at))];
    if (to < 0 || from > 1) return false;
    // One bar per pixel and lane is as much as anybody can see.
    const lane = call.kind === 'driver' ? 'driver' : 'other';
    const pixel = Math.round(to * width);
    if (pixel <= last[lane] && ui.call !== call.key) return false;
    last[lane] = pixel;
    return true;
  });
  return (
    <div class="bars">
      {shown.map((call) => {
        const from = x(call.start);
        const wide = x(call.end ?? Math.max(call.start, at)) - from;
        return (
          <button
            key={call.key}
            type="button"
            class={`bar ${call.kind} ${call.status} ${call.start > at ? 'future' : ''}`}
            style={{ ...along(from), width: `max(4px, ${percent(wide)})` }}
            aria-pressed={ui.call === call.key}
            aria-label={barText(call, at)}
            title={barText(call, at)}
            onClick={() => openCall(call)}
          >
            {wide * width > 46 && <span>{call.kind === 'driver' ? tookText(call, at) : toolLabel(call.name)}</span>}
          </button>
        );
      })}
    </div>
  );
}

function barText(call: Call, at: number): string {
  const what = call.kind === 'driver' ? `turn ${call.turn + 1}` : `${clean(call.name)} ${summaryOf(call.input, 60)}`;
  return `${callTitle[call.kind]} ${what}: ${call.status}, ${tookText(call, at)}`;
}
