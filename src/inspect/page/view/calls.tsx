/** The waterfall: every driver call, tool call and command against time. */
import type { Call } from '../store/call.js';
import { clean, ordinal } from '../store/names.js';
import { callTitle, sizeText, summaryOf, tookText } from '../store/pick.js';
import { useApp, usePicture } from './app-context.js';
import { Icon } from './icon.js';
import { Rows } from './rows.js';
import { along, percent } from './tracks.js';

export function Calls() {
  const { ui } = useApp();
  const { calls, at } = usePicture();
  if (calls.length === 0) return <p class="empty">Nothing was called yet.</p>;
  const chosen = calls.findIndex(({ key }) => key === ui.call);
  const anchor = chosen >= 0 ? chosen : calls.findLastIndex(({ start }) => start <= at);
  return (
    <div class="waterfall">
      <div class="calls-head" aria-hidden="true">
        <span>Call</span>
        <span class="calls-time">Time</span>
        <span class="calls-took">Took</span>
        <span class="calls-size">Bytes or tokens</span>
      </div>
      <Rows
        label="Calls"
        className="calls"
        count={calls.length}
        height={34}
        anchor={anchor}
        row={(index) => <Row call={calls[index]!} isFirst={calls[index]!.turn !== calls[index - 1]?.turn} />}
      />
    </div>
  );
}

function Row({ call, isFirst }: { call: Call; isFirst: boolean }) {
  const { ui, openCall } = useApp();
  const { axis, at, calls, session } = usePicture();
  const begin = axis.position(calls[0]!.start);
  const place = (time: number) => (axis.position(time) - begin) / (1 - begin || 1);
  const [from, to] = [place(call.start), place(call.end ?? Math.max(call.start, at))];
  const state = call.start > at ? 'future' : '';
  return (
    <button
      type="button"
      class={`call-row ${call.kind} ${call.status} ${state} ${isFirst ? 'first' : ''}`}
      aria-pressed={ui.call === call.key}
      onClick={() => openCall(call)}
    >
      <span class="calls-name">
        <span class="calls-turn">{isFirst ? ordinal(call.turn) : ''}</span>
        <Icon name={call.kind} />
        <span class="hidden">{`${callTitle[call.kind]} (${call.status}) `}</span>
        <span class="calls-label">
          {call.kind === 'driver' ? clean(call.model ?? session.info?.model ?? 'model') : clean(call.name)}
        </span>
        <span class="dim calls-sum">
          {call.kind === 'driver' ? clean(call.decision ?? '') : summaryOf(call.input, 50)}
        </span>
      </span>
      <span class="calls-time">
        <span
          class={`bar ${call.kind} ${call.status}`}
          style={{ ...along(from), width: `max(3px, ${percent(to - from)})` }}
        />
      </span>
      <span class="calls-took">{tookText(call, at)}</span>
      <span class="calls-size dim">{sizeText(call)}</span>
    </button>
  );
}
