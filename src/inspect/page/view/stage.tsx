/** One chart, large: what is active, what was just taken, the way so far. The camera follows unless somebody takes it. */
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Box } from '../../../diagram/geometry.js';
import type { DefFrame } from '../../frame.js';
import { focusOf, viewOf } from '../store/camera.js';
import { type ActorNow, activeOf, leafIds, type Trail } from '../store/moment.js';
import { actorLabel, leafText, stateText } from '../store/names.js';
import { useApp } from './app-context.js';
import { drawingOf, paint, pulse } from './drawing.js';
import { IconButton } from './icon.js';

interface Props {
  readonly def: DefFrame;
  readonly actor: ActorNow;
  readonly trail: Trail | undefined;
  readonly isLive: boolean;
}

export function Stage({ def, actor, trail, isLive }: Props) {
  const { ui, set } = useApp();
  const host = useRef<HTMLDivElement>(null);
  const camera = useRef<Box | null>(null);
  const moving = useRef(0);
  const dragged = useRef<{ x: number; y: number; view: Box } | null>(null);
  const [free, setFree] = useState(false);
  const [size, setSize] = useState({ w: 0, h: 0 });
  const drawing = useMemo(() => def.layout && drawingOf(def.layout), [def.key]);
  const value = actor.snap.v;
  const leaves = leafIds(def.id, value);

  const show = (view: Box) => {
    camera.current = view;
    drawing?.svg.setAttribute('viewBox', `${view.x} ${view.y} ${view.w} ${view.h}`);
  };

  useLayoutEffect(() => {
    const element = host.current!;
    const read = () => setSize({ w: element.clientWidth, h: element.clientHeight });
    read();
    const sizes = new ResizeObserver(read);
    sizes.observe(element);
    return () => sizes.disconnect();
  }, []);

  useLayoutEffect(() => {
    if (drawing === null) return;
    host.current!.replaceChildren(drawing.svg);
    camera.current = null;
    setFree(false);
    return () => cancelAnimationFrame(moving.current);
  }, [drawing]);

  const hotKey = actor.hot.join(' ');
  const stateKey = JSON.stringify(value);
  useLayoutEffect(() => {
    if (drawing === null) return;
    paint(drawing, { active: activeOf(def.id, value), hot: actor.hot, trail, gone: actor.gone !== null });
  });

  useEffect(() => {
    if (drawing !== null && (isLive || ui.playing)) pulse(drawing);
  }, [hotKey, actor.changedAt]);

  useLayoutEffect(() => {
    if (drawing === null || free || size.w === 0) return;
    const focus = focusOf(drawing.layout, leaves, actor.hot, size);
    const before = camera.current;
    const goal = viewOf(drawing.layout, size, ui.camera, focus, before);
    cancelAnimationFrame(moving.current);
    if (before === null || matchMedia('(prefers-reduced-motion: reduce)').matches) return show(goal);
    const began = performance.now();
    const frame = (now: number) => {
      const part = Math.min(1, (now - began) / 320);
      const eased = 1 - (1 - part) ** 3;
      const mix = (a: number, b: number) => a + (b - a) * eased;
      show({ x: mix(before.x, goal.x), y: mix(before.y, goal.y), w: mix(before.w, goal.w), h: mix(before.h, goal.h) });
      if (part < 1) moving.current = requestAnimationFrame(frame);
    };
    moving.current = requestAnimationFrame(frame);
  }, [drawing, stateKey, hotKey, size.w, size.h, ui.camera, free]);

  const take = (view: Box) => {
    cancelAnimationFrame(moving.current);
    setFree(true);
    show(view);
  };
  const zoom = (by: number, px = size.w / 2, py = size.h / 2) => {
    const view = camera.current;
    if (view === null) return;
    const w = Math.max(120, Math.min(view.w / by, (drawing?.layout.width ?? 0) * 2));
    const h = (w * view.h) / view.w;
    const x = view.x + (px / size.w) * (view.w - w);
    take({ x, y: view.y + (py / size.h) * (view.h - h), w, h });
  };
  const drag = (event: PointerEvent) => {
    const from = dragged.current;
    if (from === null) return;
    const scale = from.view.w / size.w;
    take({
      ...from.view,
      x: from.view.x - (event.clientX - from.x) * scale,
      y: from.view.y - (event.clientY - from.y) * scale,
    });
  };
  const wheel = (event: WheelEvent) => {
    const view = camera.current;
    if (view === null) return;
    event.preventDefault();
    if (event.ctrlKey || event.metaKey) return zoom(Math.exp(-event.deltaY / 300), event.offsetX, event.offsetY);
    const scale = view.w / size.w;
    take({ ...view, x: view.x + event.deltaX * scale, y: view.y + event.deltaY * scale });
  };

  return (
    <div class="stage" style={{ flexGrow: def.layout?.height ?? 300 }}>
      <p class="stage-name" key={stateKey}>
        {actorLabel(actor.id)} <span>{leafText(value)}</span>
      </p>
      <div
        class="stage-view"
        ref={host}
        role="img"
        aria-label={`Chart of ${actorLabel(actor.id)}, now in ${stateText(value)}`}
        onPointerDown={(event) => {
          if (camera.current === null || event.button !== 0) return;
          dragged.current = { x: event.clientX, y: event.clientY, view: camera.current };
          event.currentTarget.setPointerCapture(event.pointerId);
        }}
        onPointerMove={drag}
        onPointerUp={() => {
          dragged.current = null;
        }}
        onPointerCancel={() => {
          dragged.current = null;
        }}
        onWheel={wheel}
      />
      {drawing === null && (
        <p class="empty">No drawing is stored for this version of the chart. Its states are under “State”.</p>
      )}
      <div class="stage-tools" role="toolbar" aria-label="Camera">
        <IconButton icon="minus" label="Zoom out" act={() => zoom(1 / 1.3)} />
        <IconButton icon="plus" label="Zoom in" act={() => zoom(1.3)} />
        {(['fit', 'follow'] as const).map((each) => (
          <IconButton
            key={each}
            icon={each === 'fit' ? 'fit' : 'target'}
            label={each === 'fit' ? 'Show the whole chart' : 'Follow what is active'}
            shortcut="f"
            pressed={ui.camera === each && !free}
            act={() => {
              setFree(false);
              set({ camera: each });
            }}
          />
        ))}
      </div>
    </div>
  );
}
