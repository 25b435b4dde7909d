/** The log: everything that was received of this session, filtered, one line each, the chosen one whole. */
import { useState } from 'preact/hooks';
import { memo } from '../store/memo.js';
import { type Entry, indexAt, momentOf } from '../store/model.js';
import { clockText, duration, grouped, wallTime } from '../store/names.js';
import { detailOf, type Kind, kindOf, kinds, partOf, whatOf, whoOf } from '../store/words.js';
import { useApp, usePicture } from './app-context.js';
import { Rows } from './rows.js';
import { Value } from './value.js';

const titles: Readonly<Record<Kind, string>> = {
  ev: 'Events',
  snap: 'States',
  trace: 'Trace',
  note: 'Notices',
  message: 'Messages',
};

const filtered = memo((entries: readonly Entry[], shown: string, text: string, _version: number) => {
  const wanted = text.toLowerCase();
  return entries.filter((entry) => {
    if (!shown.includes(` ${kindOf(entry)} `)) return false;
    return wanted === '' || `${whatOf(entry)} ${whoOf(entry)} ${detailOf(entry)}`.toLowerCase().includes(wanted);
  });
});

export function Events() {
  const { ui, set } = useApp();
  const { session, axis } = usePicture();
  const [shown, setShown] = useState<readonly Kind[]>(['ev', 'trace', 'message']);
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState<Entry | null>(null);
  const entries = filtered(session.entries, ` ${shown.join(' ')} `, text, session.version);
  const now = indexAt(entries, ui.cursor) - 1;
  return (
    <div class="events">
      <search class="filter">
        <input
          id="filter"
          type="search"
          placeholder="Filter (/)"
          aria-label="Filter the log"
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
        <fieldset class="chips" aria-label="Kinds">
          {kinds.map((kind) => (
            <button
              key={kind}
              type="button"
              aria-pressed={shown.includes(kind)}
              onClick={() => setShown(shown.includes(kind) ? shown.filter((each) => each !== kind) : [...shown, kind])}
            >
              {titles[kind]}
            </button>
          ))}
        </fieldset>
        <output class="dim">{grouped(entries.length)}</output>
      </search>
      {session.dropped > 0 && <p class="note">{grouped(session.dropped)} earlier entries are in the records only.</p>}
      <Rows
        label="Event log"
        count={entries.length}
        height={28}
        anchor={now}
        row={(index) => {
          const entry = entries[index]!;
          const isNow = index === now;
          const gap = entry.at - (entries[index - 1] ?? entry).at;
          return (
            <button
              type="button"
              class={`event ${kindOf(entry)} ${isNow ? 'now' : ''} ${index > now ? 'future' : ''}`}
              aria-pressed={chosen === entry}
              title={wallTime(entry.at)}
              onClick={() => {
                setChosen(entry);
                set({ cursor: momentOf(session.entries, entry), playing: false, call: null });
              }}
            >
              <span class="time">{clockText(entry.at - axis.start)}</span>
              <span class="delta dim">{gap > 0 ? `+${duration(gap)}` : ''}</span>
              <span class="what">{whatOf(entry)}</span>
              <span class="who dim">{whoOf(entry)}</span>
              <span class="detail dim">{detailOf(entry)}</span>
            </button>
          );
        }}
      />
      {chosen !== null && (
        <section class="event-whole" aria-label="Chosen entry">
          <header>
            <h2>{whatOf(chosen)}</h2>
            <span class="dim">{wallTime(chosen.at)}</span>
            <button type="button" class="link" onClick={() => setChosen(null)}>
              close
            </button>
          </header>
          <div class="scroll">
            <Value value={partOf(chosen)} lines={8} />
          </div>
        </section>
      )}
    </div>
  );
}
