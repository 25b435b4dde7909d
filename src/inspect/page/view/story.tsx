/** The conversation with its calls: what the model was asked, thought, said and did, and what came back. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Call } from '../store/calls.js';
import { clean, count, duration, grouped, ordinal, shortId } from '../store/names.js';
import { callTitle, sizeText, summaryOf, tookText } from '../store/pick.js';
import type { Block, Task, Turn } from '../store/story.js';
import { useApp, usePicture } from './app-context.js';
import { Icon } from './icon.js';
import { Clip, Value } from './value.js';

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
        Task <code>{shortId(task.id)}</code> <span class="dim">{sources[task.source] ?? clean(task.source)}</span>
      </h2>
      {task.text === null ? (
        <p class="dim">{session.synced ? 'Its text is not in what was kept.' : '…'}</p>
      ) : (
        <Clip text={task.text} cut={task.textCut} className="prose" />
      )}
    </article>
  );
}

const sources: Readonly<Record<string, string>> = {
  task_md: 'from the command line',
  a2a: 'from a message at the door',
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

function TurnCard({ task, turn }: { task: Task; turn: Turn }) {
  const { openCall } = useApp();
  const { session, at, isLive } = usePicture();
  const { driver } = turn;
  const isLast = task.turns.at(-1) === turn && task.endedAt === null;
  const streaming = isLive && isLast && turn.blocks.length === 0 ? session.streaming.get(task.id) : undefined;
  return (
    <article class="turn" aria-label={`Turn ${ordinal(turn.index)}`}>
      <header>
        <h3>Turn {ordinal(turn.index)}</h3>
        {driver !== null && (
          <button
            type="button"
            class={`driver ${driver.status}`}
            onClick={() => openCall(driver)}
            title="Go to this model call"
          >
            <Icon name="driver" />
            <span>{tookText(driver, at)}</span>
            {driver.tokens !== null && <span class="dim">{sizeText(driver)}</span>}
          </button>
        )}
      </header>
      {turn.blocks.map((block, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: blocks of a message never move
        <BlockView key={index} block={block} />
      ))}
      {streaming !== undefined && streaming.thinking !== '' && (
        <div class="block thinking streaming">
          <pre>{clean(streaming.thinking.slice(-600))}</pre>
        </div>
      )}
      {streaming !== undefined && streaming.text !== '' && (
        <div class="block text streaming">
          <pre>{clean(streaming.text.slice(-1_200))}</pre>
        </div>
      )}
      {driver?.error && (
        <p class="fault">
          {driver.code && <code>{clean(driver.code)}</code>} {clean(driver.error)}
        </p>
      )}
      {turn.calls.map((call) => (
        <CallCard key={call.key} call={call} />
      ))}
    </article>
  );
}

function BlockView({ block: { kind, text, cut, by } }: { block: Block }) {
  return (
    <div class={`block ${kind}`}>
      {kind === 'thinking' && <span class="kind">thinking</span>}
      {kind === 'user' && <span class="kind">{by === null ? 'user' : clean(by)}</span>}
      <Clip text={text} lines={kind === 'thinking' ? 3 : 12} cut={cut} className="prose" />
    </div>
  );
}

export function CallCard({ call }: { call: Call }) {
  const { ui, openCall } = useApp();
  const { at } = usePicture();
  const isChosen = ui.call === call.key;
  const lines = isChosen ? 16 : 3;
  return (
    <div
      class={`call ${call.status} ${isChosen ? 'chosen' : ''} ${call.start > at && !isChosen ? 'future' : ''}`}
      data-call={call.key}
    >
      <button
        type="button"
        class="call-head"
        aria-pressed={isChosen}
        onClick={() => openCall(call)}
        title="Go to this call"
      >
        <Icon name={call.kind} />
        <span class="call-name">{clean(call.name)}</span>
        <span class="call-sum dim">{summaryOf(call.input, 60)}</span>
        <span class="call-took">{tookText(call, at)}</span>
        <span class={`status ${call.status}`}>{call.exitCode === null ? call.status : `exit ${call.exitCode}`}</span>
      </button>
      <div class="io">
        {call.input !== undefined && !isEmpty(call.input) && (
          <section class="input">
            <h4>Input {call.inBytes !== null && <span class="dim">{grouped(call.inBytes)} B</span>}</h4>
            <Value value={call.input} lines={lines} />
          </section>
        )}
        {call.output !== null && (
          <section class={call.fence === null ? 'output' : 'output fenced'}>
            <h4>
              Output {call.outBytes !== null && <span class="dim">{grouped(call.outBytes)} B</span>}
              {call.fence !== null && (
                <span class="fence" title="The model sees this text inside a fence that says it is not to be obeyed">
                  untrusted · {clean(call.fence)}
                </span>
              )}
            </h4>
            <Clip text={call.output} lines={lines} cut={call.cut} />
          </section>
        )}
        {call.output === null && call.status === 'running' && (
          <p class="dim waiting">{callTitle[call.kind]} is running…</p>
        )}
        {call.error !== null && <p class="fault">{clean(call.error)}</p>}
      </div>
    </div>
  );
}

function isEmpty(input: unknown): boolean {
  return typeof input === 'object' && input !== null && Object.keys(input).length === 0;
}
