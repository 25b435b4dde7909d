/** The time of the session: phases, model calls, tool calls and events on one axis, and the playhead that everything obeys. */
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { type Axis, ticksOf } from '../store/axis.js';
import type { Call } from '../store/calls.js';
import { memo } from '../store/memo.js';
import type { SessionModel } from '../store/model.js';
import { clean, clockText, duration, toolLabel } from '../store/names.js';
import { phasesOf } from '../store/phases.js';
import { callTitle, summaryOf, tookText } from '../store/pick.js';
import { useApp, usePicture } from './app-context.js';
import { IconButton } from './icon.js';

export const speeds = [0.25, 1, 4, 16] as const;

interface Window {
  readonly from: number;
  readonly to: number;
}
const whole: Window = { from: 0, to: 1 };

export function Timeline() {
  const { seek, ui } = useApp();
  const { axis, at, isLive, problems, session } = usePicture();
  const host = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(900);
  const [window, setWindow] = useState<Window>(whole);
  const view = keepInView(window, axis.position(at), isLive || ui.playing);
  const x = (time: number) => (axis.position(time) - view.from) / (view.to - view.from);
  const timeAt = (clientX: number) => {
    const { left, width: wide } = host.current!.getBoundingClientRect();
    return axis.time(view.from + ((clientX - left) / wide) * (view.to - view.from));
  };

  useLayoutEffect(() => {
    const sizes = new ResizeObserver(() => setWidth(host.current?.clientWidth ?? 900));
    sizes.observe(host.current!);
    return () => sizes.disconnect();
  }, []);

  // Not passive, so that the page behind does not scroll.
  useEffect(() => {
    const element = host.current!;
    const wheel = (event: WheelEvent) => {
      event.preventDefault();
      const { left, width: wide } = element.getBoundingClientRect();
      const centre = (event.clientX - left) / wide;
      if (event.ctrlKey || event.metaKey || Math.abs(event.deltaY) > Math.abs(event.deltaX))
        setWindow((now) => zoomed(now, Math.exp(event.deltaY / 400), centre));
      else setWindow((now) => moved(now, (event.deltaX / wide) * (now.to - now.from)));
    };
    element.addEventListener('wheel', wheel, { passive: false });
    return () => element.removeEventListener('wheel', wheel);
  }, []);

  const scrub = (event: PointerEvent & { currentTarget: HTMLElement }) => {
    if (event.type === 'pointerdown') event.currentTarget.setPointerCapture(event.pointerId);
    else if (!event.currentTarget.hasPointerCapture(event.pointerId)) return;
    seek(timeAt(event.clientX));
  };

  return (
    <footer class="timeline">
      <Transport
        zoom={(by) => setWindow(by === null ? whole : zoomed(view, by, x(at)))}
        isZoomed={view.to - view.from < 1}
      />
      <div class="lane-names" aria-hidden="true">
        <span />
        <span>session</span>
        <span>model</span>
        <span>tools</span>
        <span>events</span>
      </div>
      <div class="tracks" ref={host}>
        <div class="scrub" onPointerDown={scrub} onPointerMove={scrub}>
          <Ruler axis={axis} view={view} x={x} width={width} />
          <Phases session={session} x={x} width={width} />
          <div class="track" />
          <div class="track" />
          <Ticks session={session} axis={axis} view={view} width={width} />
          {axis.gaps.map((gap) => (
            <div
              key={gap.from}
              class="gap"
              style={{ left: percent(x(gap.from)), width: percent(x(gap.to) - x(gap.from)) }}
              title={`nothing for ${duration(gap.to - gap.from)}`}
            />
          ))}
        </div>
        <Bars x={x} width={width} />
        {problems.map(({ at: when, level, message }) => (
          <button
            key={`${when} ${message}`}
            type="button"
            class={`mark ${level}`}
            style={{ left: percent(x(when)) }}
            title={clean(message).slice(0, 200)}
            aria-label={`${level} at ${clockText(when - axis.start)}: ${clean(message).slice(0, 200)}`}
            onClick={() => seek(when)}
          />
        ))}
        <div
          class={`playhead ${isLive ? 'live' : ''} ${x(at) > 0.95 ? 'at-end' : x(at) < 0.05 ? 'at-start' : ''}`}
          style={{ left: percent(x(at)) }}
          aria-hidden="true"
        >
          <span>{clockText(at - axis.start)}</span>
        </div>
      </div>
    </footer>
  );
}

function percent(part: number): string {
  return `${Math.round(part * 1e5) / 1e3}%`;
}

function zoomed({ from, to }: Window, by: number, centre: number): Window {
  const length = Math.min(1, Math.max(0.002, (to - from) * by));
  return moved({ from: from + (to - from - length) * centre, to: from + (to - from - length) * centre + length }, 0);
}

function moved({ from, to }: Window, by: number): Window {
  const length = to - from;
  const start = Math.min(1 - length, Math.max(0, from + by));
  return { from: start, to: start + length };
}

/** The window moved so that it holds the playhead, when the playhead moves by itself. */
function keepInView(window: Window, at: number, moves: boolean): Window {
  if (!moves || (at >= window.from && at <= window.to)) return window;
  return moved(window, at - (window.from + (window.to - window.from) * 0.8));
}

function Ruler({ axis, view, x, width }: { axis: Axis; view: Window; x: (at: number) => number; width: number }) {
  const ticks = ticksOf(axis, view.from, view.to, Math.max(3, Math.floor(width / 90)));
  return (
    <div class="track ruler" aria-hidden="true">
      {ticks.map((at) => (
        <span key={at} style={{ left: percent(x(at)) }}>
          {shortClock(at - axis.start)}
        </span>
      ))}
      {axis.gaps.map((gap) => (
        <span key={`gap ${gap.from}`} class="gap-name" style={{ left: percent((x(gap.from) + x(gap.to)) / 2) }}>
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

function Phases({ session, x, width }: { session: SessionModel; x: (at: number) => number; width: number }) {
  return (
    <div class="track phases">
      {phases(session, session.version).map(({ name, from, to }) => {
        const [left, right] = [x(from), to === null ? 1 : x(to)];
        return (
          <div
            key={`${name} ${from}`}
            class={`phase p-${name.replace(/[^a-z]/g, '')}`}
            style={{ left: percent(left), width: percent(Math.max(0, right - left)) }}
            title={name}
          >
            {(right - left) * width > 60 && <span>{name}</span>}
          </div>
        );
      })}
    </div>
  );
}

/** Events as strokes, one for each pixel that has any, in one path. */
function Ticks({ session, axis, view, width }: { session: SessionModel; axis: Axis; view: Window; width: number }) {
  const columns = new Map<number, number>();
  for (const entry of session.entries) {
    if (entry.type !== 'ev') continue;
    const part = (axis.position(entry.at) - view.from) / (view.to - view.from);
    if (part < 0 || part > 1) continue;
    const column = Math.round(part * width);
    columns.set(column, (columns.get(column) ?? 0) + 1);
  }
  const path = [...columns].map(([column, count]) => {
    const tall = Math.min(16, 5 + count * 2);
    return `M${column + 0.5} ${10 - tall / 2}v${tall}`;
  });
  return (
    <div class="track ticks" aria-hidden="true">
      <svg width={width} height="20" aria-hidden="true">
        <path d={path.join('')} />
      </svg>
    </div>
  );
}

function Bars({ x, width }: { x: (at: number) => number; width: number }) {
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
            style={{ left: percent(from), width: `max(4px, ${percent(wide)})` }}
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

function Transport({ zoom, isZoomed }: { zoom: (by: number | null) => void; isZoomed: boolean }) {
  const { ui, set, seek } = useApp();
  const { axis, at, isLive, isOver, session } = usePicture();
  const step = (by: number) => seek(stepFrom(session, at, by));
  return (
    <div class="transport">
      <IconButton icon="first" label="To the start" shortcut="Home" act={() => seek(axis.start)} />
      <IconButton icon="back" label="Step back" shortcut="←" act={() => step(-1)} />
      <IconButton
        icon={ui.playing ? 'pause' : 'play'}
        label={ui.playing ? 'Pause' : 'Play'}
        shortcut="Space"
        className="play"
        act={() => set(ui.playing ? { playing: false } : startPlaying(ui.cursor === null, axis))}
      />
      <IconButton icon="next" label="Step forward" shortcut="→" act={() => step(1)} />
      <button
        type="button"
        class={`live-button ${isLive ? 'on' : ''}`}
        aria-pressed={ui.cursor === null}
        title={isOver ? 'To the end (End)' : 'Back to now (End)'}
        onClick={() => seek(null)}
      >
        <span class="dot" /> {isOver ? 'end' : 'live'}
      </button>
      <button
        type="button"
        class="speed"
        aria-label={`Speed ${ui.speed} times`}
        title="Speed"
        onClick={() => set({ speed: speeds[(speeds.indexOf(ui.speed as 1) + 1) % speeds.length]! })}
      >
        {ui.speed}×
      </button>
      <label class="hidden" for="moment">
        Moment
      </label>
      <input
        id="moment"
        class={isLive ? 'moment live' : 'moment'}
        style={{ '--at': percent(axis.position(at)) }}
        type="range"
        min={0}
        max={1000}
        value={Math.round(axis.position(at) * 1000)}
        aria-valuetext={`${clockText(at - axis.start)} of ${clockText(axis.end - axis.start)}${isLive ? ', live' : ''}`}
        onInput={(event) => seek(axis.time(Number(event.currentTarget.value) / 1000))}
      />
      <span class="clock">
        <strong>{clockText(at - axis.start)}</strong> <span class="dim">/ {clockText(axis.end - axis.start)}</span>
      </span>
      <span class="zoom">
        <IconButton icon="minus" label="Less time detail" disabled={!isZoomed} act={() => zoom(1.6)} />
        <IconButton icon="plus" label="More time detail" act={() => zoom(1 / 1.6)} />
        <IconButton icon="fit" label="Whole session" disabled={!isZoomed} act={() => zoom(null)} />
      </span>
    </div>
  );
}

/** From the start when the session is shown as it is now. */
export function startPlaying(isNow: boolean, axis: Axis) {
  return isNow
    ? { playing: true, call: null, cursor: { at: axis.start, q: Number.POSITIVE_INFINITY } }
    : { playing: true, call: null };
}

/** The time of the next thing that happened at another moment, forward or back. */
export function stepFrom({ entries }: SessionModel, at: number, by: number): number {
  const times = entries.filter(({ type }) => type === 'snap' || type === 'trace' || type === 'message');
  const next = by > 0 ? times.find((entry) => entry.at > at) : times.findLast((entry) => entry.at < at);
  return next?.at ?? (by > 0 ? (times.at(-1)?.at ?? at) : (times[0]?.at ?? at));
}
