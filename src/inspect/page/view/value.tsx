/** Values and texts of guests, as text: cut where they are long, whole on request, never as markup. */
import { useState } from 'preact/hooks';
import { clean, grouped } from '../store/names.js';

const mostEntries = 60;

/** Text that shows `lines` lines and, on request, all of it. `cut` characters never reached this page. */
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
  const [whole, setWhole] = useState(false);
  const short = shorten(text, lines);
  const isLong = short.length < text.length;
  return (
    <div class={`clip ${className} ${whole ? 'whole' : ''}`}>
      <pre>{whole || !isLong ? clean(text) : `${clean(short)}…`}</pre>
      {isLong && (
        <button type="button" class="more" onClick={() => setWhole(!whole)} aria-expanded={whole}>
          {whole ? 'show less' : `show all (${grouped(text.length)} characters)`}
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
