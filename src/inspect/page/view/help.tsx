/** Every key, in a dialog. */
import { useEffect, useRef } from 'preact/hooks';
import { useApp } from './app-context.js';

const keys: readonly (readonly [string, string])[] = [
  ['Space', 'play or pause; from the start when at the end'],
  ['← →', 'one step back or forward'],
  ['Shift ← →', 'to the call before or after'],
  ['Home  End', 'to the start; to now'],
  ['1 2 3 4', 'chart, calls, messages, events'],
  ['5 6 7', 'conversation, state, session'],
  ['f', 'follow what is active, or show the whole chart'],
  ['/', 'filter the event log'],
  ['s', 'sessions'],
  ['t', 'colours'],
  ['Esc', 'let go of what was chosen'],
  ['?', 'this help'],
];

export function Help() {
  const { ui, set } = useApp();
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (ui.help) dialog.current?.showModal();
    else dialog.current?.close();
  }, [ui.help]);
  return (
    <dialog class="help" ref={dialog} aria-labelledby="help-title" onClose={() => set({ help: false })}>
      <h2 id="help-title">Keyboard</h2>
      <dl>
        {keys.map(([key, does]) => (
          <div key={key}>
            <dt>
              {key.split(/ +/).map((each) => (
                <kbd key={each}>{each}</kbd>
              ))}
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <p class="dim">
        Everything on this page is read-only. In a chart, <b class="tone-on">green</b> is active,{' '}
        <b class="tone-hot">orange</b> was just taken, and ×3 says how often. Click a bar to see what went in and came
        out.
      </p>
      <form method="dialog">
        <button type="submit" class="primary">
          Close
        </button>
      </form>
    </dialog>
  );
}
