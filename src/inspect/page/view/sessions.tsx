/** All sessions this page was told of, with the verdict on each and what it rests on. */
import type { SessionModel } from '../store/model.js';
import { clean, duration, shortId } from '../store/names.js';
import { standing } from '../store/pick.js';
import { useApp, usePicture } from './app-context.js';

export function Sessions({ now }: { now: number }) {
  const { model, set, narrow } = useApp();
  const { session: chosen } = usePicture();
  const sessions = [...model.sessions.values()].sort((a, b) => started(b) - started(a));
  return (
    <nav class="rail" id="sessions" aria-label="Sessions">
      <h2>
        Sessions <span class="dim">{sessions.length}</span>
      </h2>
      <ul>
        {sessions.map((session) => (
          <li key={session.sys}>
            <button
              type="button"
              class="session"
              aria-current={session === chosen}
              onClick={() =>
                set({
                  sys: session.sys,
                  cursor: null,
                  playing: false,
                  call: null,
                  actor: null,
                  level: null,
                  ...(narrow ? { rail: false } : {}),
                })
              }
            >
              <Item session={session} now={now} />
            </button>
            {session === chosen && session.info !== null && <Evidence {...session.info.liveness} />}
          </li>
        ))}
      </ul>
    </nav>
  );
}

export function Evidence({ reason, evidence }: { reason: string | null; evidence: readonly string[] }) {
  return (
    <div class="evidence">
      {reason !== null && <p>{clean(reason)}</p>}
      <ul>
        {evidence.map((line) => (
          <li key={line}>{clean(line)}</li>
        ))}
      </ul>
    </div>
  );
}

function Item({ session: { sys, info }, now }: { session: SessionModel; now: number }) {
  const { word, tone } = standing(info);
  const end = info?.ended?.at ?? now;
  return (
    <>
      <span class="session-name">
        <span class={`dot ${tone}`} />
        <strong>{info === null ? 'session' : clean(info.capsule.name)}</strong>
        <span class={`word ${tone}`}>{word}</span>
      </span>
      <span class="session-more dim">
        <code>{shortId(sys)}</code>
        {info?.model && <span>{clean(info.model)}</span>}
        {info?.startedAt != null && <span>{duration(end - info.startedAt)}</span>}
      </span>
      {info?.ended != null && <span class="dim session-verdict">{info.liveness.verdict}</span>}
    </>
  );
}

function started({ info, entries }: SessionModel): number {
  return info?.startedAt ?? entries[0]?.at ?? 0;
}
