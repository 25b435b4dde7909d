/** Values and texts of guests, as text: cut where they are long, whole on request, never as markup. */
import { useState } from 'preact/hooks';
import { clean, grouped } from '../store/names.js';

const mostEntries = 60;

/** Characters that one request shows: a browser takes seconds to lay out megabytes. */
const portion = 100_000;

/** Text that shows `lines` lines and, on request, all of it, in portions. `cut` characters never reached this page. */
export function Clip({
  text,
  lines = 6,
  cut = 0,
  className = '',
}: {
  text: string;
  lines?: number;
  cut?: number;
  className?: string;
}) {
  const [shown, setShown] = useState(0);
  const short = shorten(text, lines);
  const isLong = short.length < text.length;
  const left = text.length - shown;
  return (
    <div class={`clip ${className} ${shown > 0 ? 'whole' : ''}`}>
      <pre>{clean(shown > 0 ? text.slice(0, shown) : short) + (isLong && left > 0 ? '…' : '')}</pre>
      {isLong && (
        <button
          type="button"
          class="more"
          onClick={() => setShown(left > 0 ? shown + portion : 0)}
          aria-expanded={shown > 0}
        >
          {left > 0
            ? `show ${shown > 0 || left > portion ? 'more' : 'all'} (${grouped(left)} characters)`
            : 'show less'}
        </button>
      )}
      {cut > 0 && <p class="cut">{grouped(cut)} characters were left out on the way here; the records have them.</p>}
    </div>
  );
}

/** At most `lines` lines and 90 characters for each. */
function shorten(text: string, lines: number): string {
  const room = lines * 90;
  let end = -1;
  for (let line = 0; line < lines; line += 1) {
    const next = text.indexOf('\n', end + 1);
    if (next < 0) return text.length <= room + 40 ? text : text.slice(0, room);
    end = next;
  }
  const kept = text.slice(0, Math.min(end, room));
  // A request for a few more words is a nuisance.
  return text.length - kept.length <= text.length / 5 ? text : kept;
}

/** JSON as a list of keys and values. */
export function Value({ value, lines = 4 }: { value: unknown; lines?: number }) {
  if (typeof value === 'string') {
    return value.includes('\n') || value.length > 90 ? (
      <Clip text={value} lines={lines} />
    ) : (
      <span class="string">{clean(value)}</span>
    );
  }
  if (typeof value !== 'object' || value === null) return <span class="atom">{clean(String(value))}</span>;
  const entries = Object.entries(value);
  const isList = Array.isArray(value);
  if (entries.length === 0) return <span class="atom">{isList ? 'none' : '{ }'}</span>;
  if (isList && entries.every(([, each]) => typeof each !== 'object' || each === null)) {
    return (
      <span class="string">
        {value
          .slice(0, mostEntries)
          .map((each) => clean(String(each)))
          .join(', ')}
      </span>
    );
  }
  return (
    <dl class="value">
      {entries.slice(0, mostEntries).map(([key, each]) => (
        <div key={key} class={isDeep(each) ? 'deep' : ''}>
          <dt>{isList ? Number(key) + 1 : clean(key)}</dt>
          <dd>
            <Value value={each} lines={lines} />
          </dd>
        </div>
      ))}
      {entries.length > mostEntries && (
        <div>
          <dt>…</dt>
          <dd class="dim">{grouped(entries.length - mostEntries)} more</dd>
        </div>
      )}
    </dl>
  );
}

function isDeep(value: unknown): boolean {
  if (typeof value === 'string') return value.includes('\n') || value.length > 90;
  return (
    typeof value === 'object' &&
    value !== null &&
    Object.values(value).some((each) => typeof each === 'object' && each !== null)
  );
}
