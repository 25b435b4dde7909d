/** The charts of a session: one small picture of each, all live, and the chosen one, or the two where things move, on the stage. */
import { type Level, levelsOf, staged } from '../store/levels.js';
import { activeOf } from '../store/moment.js';
import { actorLabel, leafText, toolLabel } from '../store/names.js';
import { useApp, usePicture } from './app-context.js';
import { Changing } from './changing.js';
import { Stage } from './stage.js';

export function ChartView() {
  const { model, ui, narrow } = useApp();
  const { moment, isLive } = usePicture();
  const levels = levelsOf(moment, model.defs);
  const shown = chosenLevels(levels, ui, moment.actors, model.defs) ?? staged(levels, narrow ? 1 : 2);
  if (shown.length === 0) return <p class="empty">Nothing has started yet.</p>;
  return (
    <div class="charts">
      <fieldset class="levels" aria-label="Charts of this session">
        {levels.map((level) => (
          <Card
            key={level.def.key}
            level={shown.find(({ def }) => def.key === level.def.key) ?? level}
            isShown={shown.some(({ def }) => def.key === level.def.key)}
          />
        ))}
      </fieldset>
      {shown.map(({ def, actor }) => (
        <Stage key={def.key} def={def} actor={actor} trail={moment.trails.get(def.key)} isLive={isLive} />
      ))}
      {!narrow && shown.length === 1 && shown[0]!.def.id === 'turn' && ui.level === null && ui.actor === null && (
        <p class="stage stage-later">Tool calls will show here.</p>
      )}
    </div>
  );
}

type Actors = ReturnType<typeof usePicture>['moment']['actors'];
type Defs = ReturnType<typeof useApp>['model']['defs'];
type Choice = ReturnType<typeof useApp>['ui'];

function chosenLevels(levels: readonly Level[], ui: Choice, actors: Actors, defs: Defs): Level[] | null {
  const actor = ui.actor === null ? undefined : actors.get(ui.actor);
  const def = actor?.def == null ? undefined : defs.get(actor.def);
  if (actor !== undefined && def !== undefined) return [{ actor, def }];
  const level = levels.find((each) => each.def.id === ui.level);
  return level === undefined ? null : [level];
}

function Card({ level, isShown }: { level: Level; isShown: boolean }) {
  const { ui, set } = useApp();
  const { def, actor } = level;
  const isPinned = isShown && (ui.level !== null || ui.actor !== null);
  const tool = toolName(actor.snap.c);
  return (
    <button
      type="button"
      class={`level ${actor.gone === null ? 'alive' : 'over'}`}
      aria-pressed={isShown}
      title={isPinned ? 'Follow what is active again' : 'Look at this chart'}
      onClick={() => set(isPinned ? { level: null, actor: null } : { level: def.id, actor: null, main: 'chart' })}
    >
      <span class="level-name">
        {actorLabel(actor.id)} {tool !== '' && <span class="level-tool">{tool}</span>}
      </span>
      <Changing className="level-state" text={leafText(actor.snap.v) || '–'} />
      <Mini level={level} />
    </button>
  );
}

function toolName(context: unknown): string {
  const { callId, name } = (context ?? {}) as { callId?: unknown; name?: unknown };
  return typeof callId === 'string' && typeof name === 'string' ? toolLabel(name) : '';
}

/** A chart as boxes only. */
function Mini({ level: { def, actor } }: { level: Level }) {
  if (def.layout === null) return null;
  const on = activeOf(def.id, actor.snap.v);
  const { width, height, nodes } = def.layout;
  return (
    <svg class="mini" viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
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
    </svg>
  );
}
