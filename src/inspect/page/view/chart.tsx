/** The charts of a session: four small ones that all live, and the chosen one on the stage. */
import { useLayoutEffect, useRef } from 'preact/hooks';
import { activeIds } from '../../../diagram/chart.js';
import type { Box } from '../../../diagram/geometry.js';
import { followed, levelsOf, type Level } from '../store/levels.js';
import { actorLabel, clean, leafText } from '../store/names.js';
import { useApp, usePicture } from './app-context.js';
import { Stage } from './stage.js';

export function ChartView() {
  const { model, ui } = useApp();
  const { moment, isLive } = usePicture();
  const port = useRef<SVGRectElement>(null);
  const levels = levelsOf(moment, model.defs);
  const chosen = chosenLevel(levels, ui.actor, ui.level, moment.actors, model.defs) ?? followed(levels);
  if (chosen === undefined) return <p class="empty">Nothing has started yet.</p>;
  const onView = ({ x, y, w, h }: Box) => {
    const rect = port.current;
    if (rect === null) return;
    for (const [key, value] of Object.entries({ x, y, width: w, height: h })) rect.setAttribute(key, String(value));
  };
  return (
    <div class="charts">
      <Levels levels={levels} chosen={chosen} port={port} />
      <Stage
        def={chosen.def}
        actor={chosen.actor}
        trail={moment.trails.get(chosen.def.key)}
        isLive={isLive}
        onView={onView}
      />
    </div>
  );
}

type Actors = ReturnType<typeof usePicture>['moment']['actors'];
type Defs = ReturnType<typeof useApp>['model']['defs'];

function chosenLevel(levels: readonly Level[], id: string | null, level: string | null, actors: Actors, defs: Defs): Level | undefined {
  const actor = id === null ? undefined : actors.get(id);
  const def = actor?.def == null ? undefined : defs.get(actor.def);
  if (actor !== undefined && def !== undefined) return { actor, def };
  return levels.find((each) => each.def.id === level);
}

function Levels({ levels, chosen, port }: { levels: readonly Level[]; chosen: Level; port: { current: SVGRectElement | null } }) {
  const { ui, set } = useApp();
  const isPinned = ui.level !== null || ui.actor !== null;
  return (
    <div class="levels" role="group" aria-label="Charts of this session">
      {levels.map((level) => {
        const actor = level.def.key === chosen.def.key ? chosen.actor : level.actor;
        const isChosen = level.def.key === chosen.def.key;
        return (
          <button
            key={level.def.key}
            type="button"
            class={`level ${actor.gone === null ? 'alive' : 'over'}`}
            aria-pressed={isChosen}
            onClick={() => set(isChosen && isPinned ? { level: null, actor: null } : { level: level.def.id, actor: null })}
          >
            <span class="level-name">{actorLabel(actor.id)}</span>
            <span class="level-state">{leafText(actor.snap.v) || '–'}</span>
            {toolName(actor.snap.c) && <span class="level-tool">{toolName(actor.snap.c)}</span>}
            <Mini level={{ ...level, actor }} port={isChosen ? port : null} />
          </button>
        );
      })}
    </div>
  );
}

function toolName(context: unknown): string {
  const { callId, name } = (context ?? {}) as { callId?: unknown; name?: unknown };
  return typeof callId === 'string' && typeof name === 'string' ? clean(name) : '';
}

/** A chart as boxes only. */
function Mini({ level: { def, actor }, port }: { level: Level; port: { current: SVGRectElement | null } | null }) {
  const rect = useRef<SVGRectElement>(null);
  useLayoutEffect(() => {
    if (port !== null) port.current = rect.current;
  });
  if (def.layout === null) return null;
  const on = new Set(actor.snap.v === undefined ? [] : activeIds(def.id, actor.snap.v as never));
  const { width, height, nodes } = def.layout;
  return (
    <svg class="mini" viewBox={`0 0 ${Number(width)} ${Number(height)}`} aria-hidden="true">
      {nodes
        .filter(({ kind, depth }) => kind !== 'initial' && depth > 0)
        .map((node) => (
          <rect
            key={node.id}
            class={`${on.has(node.id) ? 'on' : ''} ${node.kind === 'atomic' || node.kind === 'final' ? 'leaf' : ''}`}
            x={node.x}
            y={node.y}
            width={node.w}
            height={node.h}
            rx={16}
          />
        ))}
      {port !== null && <rect class="port" ref={rect} rx={24} />}
    </svg>
  );
}
