/** Tokens so far, and by turn. */
import { grouped, ordinal } from '../store/names.js';
import { spentBy } from '../store/pick.js';
import { useApp, usePicture } from './app-context.js';

export function Spending() {
  const { openCall } = useApp();
  const { calls, at } = usePicture();
  const drivers = calls.filter(({ kind, tokens }) => kind === 'driver' && tokens !== null);
  const spent = spentBy(calls, at);
  const most = Math.max(1, ...drivers.map(({ tokens }) => (tokens?.input ?? 0) + (tokens?.output ?? 0)));
  return (
    <>
      <h2>Tokens</h2>
      <dl class="sums">
        <div>
          <dt>in</dt>
          <dd>{grouped(spent.input)}</dd>
        </div>
        <div>
          <dt>out</dt>
          <dd>{grouped(spent.output)}</dd>
        </div>
        {spent.cached > 0 && (
          <div>
            <dt>cached</dt>
            <dd>{grouped(spent.cached)}</dd>
          </div>
        )}
        {spent.thinking > 0 && (
          <div>
            <dt>thinking</dt>
            <dd>{grouped(spent.thinking)}</dd>
          </div>
        )}
      </dl>
      <ol class="spend" aria-label="Tokens by turn">
        {drivers.slice(-40).map((call) => (
          <li key={call.key} class={(call.end ?? call.start) > at ? 'future' : ''}>
            <button
              type="button"
              onClick={() => openCall(call)}
              aria-label={`Turn ${ordinal(call.turn)}: ${call.tokens?.input ?? 0} in, ${call.tokens?.output ?? 0} out`}
            >
              <span class="dim">{ordinal(call.turn)}</span>
              <span class="spend-bar">
                <i class="in" style={{ width: `${((call.tokens?.input ?? 0) / most) * 100}%` }} />
                <i class="out" style={{ width: `${((call.tokens?.output ?? 0) / most) * 100}%` }} />
              </span>
            </button>
          </li>
        ))}
      </ol>
    </>
  );
}
