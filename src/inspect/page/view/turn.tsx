/** One turn: the model call, what it thought and said, and its tool calls with input and output. */

import { useState } from 'preact/hooks';
import type { Call } from '../store/call.js';
import type { Streaming } from '../store/model.js';
import { clean, grouped, ordinal } from '../store/names.js';
import { callTitle, sizeText, summaryOf, tookText } from '../store/pick.js';
import type { Block, Task, Turn } from '../store/story.js';
import { useApp, usePicture } from './app-context.js';
import { Changing } from './changing.js';
import { Icon } from './icon.js';
import { Clip, Value } from './value.js';

export function TurnCard({ task, turn }: { task: Task; turn: Turn }) {
  const { openCall } = useApp();
  const { session, at, isLive } = usePicture();
  const { driver } = turn;
  const isLast = task.turns.at(-1) === turn && task.endedAt === null;
  const streams = isLive && isLast && turn.blocks.length === 0;
  const blocks = streams ? arriving(session.streaming.get(task.id)) : turn.blocks;
  const isTalking = streams && driver?.end === null;
  return (
    <article class="turn" aria-label={`Turn ${ordinal(turn.index)}`}>
      <header>
        <h3>Turn {ordinal(turn.index)}</h3>
        {driver !== null && (
          <button
            type="button"
            class={`driver ${driver.status}`}
            onClick={() => openCall(driver)}
            title="Go to this call"
          >
            <Icon name="driver" />
            <span>{tookText(driver, at)}</span>
            {driver.tokens !== null && <span class="dim">{sizeText(driver)}</span>}
          </button>
        )}
      </header>
      {blocks.map((block, index) => (
        <BlockView key={index} block={block} streaming={isTalking && index === blocks.length - 1} />
      ))}
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

/** What a model has said so far, as the blocks it will become: so nothing moves when it does. */
function arriving(streaming: Streaming | undefined): Block[] {
  return (['thinking', 'text'] as const).flatMap((kind) =>
    streaming?.[kind] ? [{ kind, text: streaming[kind], at: 0, cut: 0, by: null }] : [],
  );
}

function BlockView({ block: { kind, text, cut, by }, streaming }: { block: Block; streaming: boolean }) {
  return (
    <div class={`block ${kind} ${streaming ? 'streaming' : ''}`}>
      {kind === 'thinking' && <span class="kind">thinking</span>}
      {kind === 'user' && <span class="kind">{by === null ? 'user' : clean(by)}</span>}
      {streaming ? (
        <pre>{clean(text.slice(-1_200))}</pre>
      ) : (
        <Clip text={text} lines={kind === 'thinking' ? 3 : 12} cut={cut} className="prose" />
      )}
    </div>
  );
}

function CallCard({ call }: { call: Call }) {
  const { ui, openCall } = useApp();
  const { at, isLive } = usePicture();
  // Its output comes with the turn: room is kept for it, so that the calls below stay where they are.
  const [isHeld] = useState(call.output === null && call.kind !== 'shell' && isLive);
  const isChosen = ui.call === call.key;
  const lines = isChosen ? 16 : 3;
  const [name, sum] = [clean(call.name), summaryOf(call.input, 60)];
  return (
    <article
      aria-label={`${name} ${sum}`}
      class={`call ${call.status} ${isChosen ? 'chosen' : isHeld ? 'held' : ''} ${call.start > at && !isChosen ? 'future' : ''}`}
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
        <span class="call-name">{name}</span>
        <span class="call-sum dim">{sum}</span>
        <Changing className="call-took" text={tookText(call, at)} />
        <Changing className={`status ${call.status}`} text={statusText(call)} />
      </button>
      <div class="io">
        {call.input !== undefined && !isEmpty(call.input) && (
          <section class="input">
            <h4>Input {call.inBytes !== null && <span class="dim">{grouped(call.inBytes)} B</span>}</h4>
            <Value value={call.input} lines={lines} />
          </section>
        )}
        {(call.output !== null || isHeld || call.status === 'running') && (
          <section class={call.fence === null ? 'output' : 'output fenced'}>
            <h4>
              Output {call.outBytes !== null && <span class="dim">{grouped(call.outBytes)} B</span>}
              {call.fence !== null && (
                <span class="fence" title="The model sees this text inside a fence that says it is not to be obeyed">
                  untrusted · {clean(call.fence)}
                </span>
              )}
            </h4>
            {call.output === null ? (
              <p class="clip dim">{call.status === 'running' ? `${callTitle[call.kind]} is running…` : '…'}</p>
            ) : (
              <Clip text={call.output} lines={lines} cut={call.cut} />
            )}
          </section>
        )}
        {call.error !== null && <p class="fault">{clean(call.error)}</p>}
      </div>
    </article>
  );
}

function statusText({ status, exitCode }: Call): string {
  return exitCode === null ? (status === 'running' ? '…' : status) : `exit ${exitCode}`;
}

function isEmpty(input: unknown): boolean {
  return typeof input === 'object' && input !== null && Object.keys(input).length === 0;
}
