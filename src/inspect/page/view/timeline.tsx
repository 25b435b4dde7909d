/** The time of the session: phases, model calls, tool calls and events on one axis, and the playhead that everything obeys. */
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { clean, clockText, duration } from '../store/names.js';
import { keepInView, moved, type Window, whole, zoomed } from '../store/window.js';
import { useApp, usePicture } from './app-context.js';
import { along, Bars, Phases, percent, Ruler, Ticks } from './tracks.js';
import { Transport } from './transport.js';

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
              style={{ ...along(x(gap.from)), width: percent(x(gap.to) - x(gap.from)) }}
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
            style={along(x(when))}
            title={clean(message).slice(0, 200)}
            aria-label={`${level} at ${clockText(when - axis.start)}: ${clean(message).slice(0, 200)}`}
            onClick={() => seek(when)}
          />
        ))}
        <div
          class={`playhead ${isLive ? 'live' : ''} ${x(at) > 0.95 ? 'at-end' : x(at) < 0.05 ? 'at-start' : ''}`}
          style={along(x(at))}
          aria-hidden="true"
        >
          <span>{clockText(at - axis.start)}</span>
        </div>
      </div>
    </footer>
  );
}
