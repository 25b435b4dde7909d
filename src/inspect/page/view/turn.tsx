/** One turn: the model call, what it thought and said, and its tool calls with input and output. */
import type { Call } from '../store/call.js';
import { clean, grouped, ordinal } from '../store/names.js';
import { callTitle, sizeText, summaryOf, tookText } from '../store/pick.js';
import type { Block, Task, Turn } from '../store/story.js';
import { useApp, usePicture } from './app-context.js';
import { Icon } from './icon.js';
import { Clip, Value } from './value.js';

export function TurnCard({ task, turn }: { task: Task; turn: Turn }) {
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

function CallCard({ call }: { call: Call }) {
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
