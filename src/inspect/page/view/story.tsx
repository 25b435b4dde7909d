/** The conversation with its calls: what the model was asked, thought, said and did, and what came back. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { clean, count, duration, grouped, shortId } from '../store/names.js';
import type { Task, Turn } from '../store/story.js';
import { useApp, usePicture } from './app-context.js';
import { TurnCard } from './turn.js';
import { Clip } from './value.js';

type Item =
  | { readonly kind: 'task'; readonly key: string; readonly at: number; readonly task: Task }
  | { readonly kind: 'turn'; readonly key: string; readonly at: number; readonly task: Task; readonly turn: Turn }
  | { readonly kind: 'end'; readonly key: string; readonly at: number; readonly task: Task };

/** Turns drawn at once; the rest comes on request. */
const most = 60;

export function Story() {
  const { ui } = useApp();
  const { story, at, session, isLive } = usePicture();
  const host = useRef<HTMLElement>(null);
  const [extra, setExtra] = useState(0);
  // Somebody who scrolled up is left alone.
  const atEnd = useRef(true);
  const items = itemsOf(story);
  const now = items.findLastIndex((item) => item.at <= at);
  const chosen =
    ui.call === null
      ? -1
      : items.findIndex((item) => item.kind === 'turn' && item.turn.calls.some(({ key }) => key === ui.call));
  const centre = chosen >= 0 ? chosen : Math.max(0, now);
  const from = Math.max(0, Math.min(centre - most / 2, items.length - most) - extra);
  const to = Math.min(items.length, from + most + extra);

  // Follows the moment that is shown: the newest when live, the turn under the playhead otherwise, the chosen call before both.
  const streamed = [...session.streaming.values()].reduce(
    (sum, { text, thinking }) => sum + text.length + thinking.length,
    0,
  );
  useEffect(() => {
    const element = host.current;
    if (element === null) return;
    const call = ui.call === null ? null : element.querySelector(`[data-call="${CSS.escape(ui.call)}"]`);
    if (call !== null) return call.scrollIntoView({ block: 'nearest' });
    if (isLive) {
      if (atEnd.current) element.scrollTop = element.scrollHeight;
      return;
    }
    element.querySelector(`[data-item="${now}"]`)?.scrollIntoView({ block: 'nearest' });
  }, [ui.call, now, isLive, isLive ? `${items.length} ${session.entries.length} ${streamed}` : '']);

  if (items.length === 0) return <p class="empty">No task has started yet.</p>;
  return (
    <section
      class="story"
      ref={host}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
      tabIndex={0}
      aria-label="Conversation"
      onScroll={({ currentTarget: { scrollTop, clientHeight, scrollHeight } }) => {
        atEnd.current = scrollTop + clientHeight > scrollHeight - 80;
      }}
    >
      {from > 0 && (
        <button type="button" class="more wide" onClick={() => setExtra(extra + most)}>
          show earlier turns ({grouped(from)} more)
        </button>
      )}
      {items.slice(from, to).map((item, index) => (
        <div key={item.key} data-item={from + index} class={item.at > at ? 'item future' : 'item'}>
          {item.kind === 'task' && <TaskHead task={item.task} />}
          {item.kind === 'turn' && <TurnCard task={item.task} turn={item.turn} />}
          {item.kind === 'end' && <TaskEnd task={item.task} />}
        </div>
      ))}
    </section>
  );
}

function itemsOf(story: readonly Task[]): Item[] {
  return story.flatMap((task): Item[] => [
    { kind: 'task', key: task.id, at: task.startedAt, task },
    ...task.turns.map((turn): Item => ({ kind: 'turn', key: `${task.id} ${turn.index}`, at: turn.at, task, turn })),
    ...(task.endedAt === null ? [] : [{ kind: 'end', key: `${task.id} end`, at: task.endedAt, task } as const]),
  ]);
}

function TaskHead({ task }: { task: Task }) {
  const { session } = usePicture();
  return (
    <article class="task">
      <h2>
        Task <code>{shortId(task.id)}</code>
        {task.source && <span class="dim"> {sources[task.source] ?? clean(task.source)}</span>}
      </h2>
      <Clip
        text={task.text ?? (session.synced ? 'Its text was not kept.' : '…')}
        cut={task.textCut}
        className="prose"
      />
    </article>
  );
}

const sources: Readonly<Record<string, string>> = {
  task_md: 'from the command line',
  detached_shell: 'from the background',
  a2a: 'from the door',
};

function TaskEnd({ task }: { task: Task }) {
  return (
    <p class={`task-end ${task.status === 'ok' ? 'ok' : 'error'}`}>
      <strong>{clean(task.status ?? '')}</strong> after {count(task.turns.length, 'turn')},{' '}
      {duration((task.endedAt ?? task.startedAt) - task.startedAt)}
      {task.reason && <span class="reason">{clean(task.reason)}</span>}
    </p>
  );
}
