/** What is known of the session itself: is it alive and how do we know, what went wrong, what it may do, what it spent. */
import type { SessionFrame } from '../../frame.js';
import { clean, clockText, duration } from '../store/names.js';
import { verdictTone } from '../store/pick.js';
import type { Problem } from '../store/problems.js';
import { useApp, usePicture } from './app-context.js';
import { Evidence } from './sessions.js';
import { Spending } from './spending.js';
import { Value } from './value.js';

export function Session() {
  const { session, problems } = usePicture();
  const { info } = session;
  const refused = problems.filter(({ level }) => level === 'refusal');
  const wrong = problems.filter(({ level }) => level !== 'refusal');
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section class="facts" tabIndex={0} aria-label="Session">
      {info !== null && <Liveness info={info} />}
      <h2>Errors and warnings</h2>
      {wrong.length === 0 ? <p class="dim">None.</p> : <Problems label="Errors and warnings" problems={wrong} />}
      <Spending />
      {info !== null && <Containment info={info} />}
      <h2>Refused</h2>
      {refused.length === 0 ? (
        <p class="dim">Nothing was refused so far.</p>
      ) : (
        <Problems label="Refused" problems={refused} />
      )}
      {info !== null && <About info={info} />}
    </section>
  );
}

function Liveness({ info }: { info: SessionFrame }) {
  const { axis } = usePicture();
  const { liveness, ended } = info;
  return (
    <>
      <h2>Liveness</h2>
      <p class="verdict">
        <span class={`pill ${verdictTone(liveness.verdict)}`}>{liveness.verdict}</span>
        {ended !== null && (
          <span class={`pill ${ended.status === 'ok' ? 'good' : 'bad'}`}>
            {clean(ended.status)} at {clockText(ended.at - axis.start)}
          </span>
        )}
      </p>
      <Evidence {...liveness} />
      {info.sourceNote !== null && <p class="note">{clean(info.sourceNote)}</p>}
    </>
  );
}

function Problems({ label, problems }: { label: string; problems: readonly Problem[] }) {
  const { seek } = useApp();
  const { axis, at } = usePicture();
  return (
    <ul class="problems" aria-label={label}>
      {problems.map((problem) => (
        <li key={`${problem.code} ${problem.message}`} class={`${problem.level} ${problem.at > at ? 'future' : ''}`}>
          <button
            type="button"
            class="time link"
            onClick={() => seek(problem.at)}
            aria-label={`Go to ${clockText(problem.at - axis.start)}`}
          >
            {clockText(problem.at - axis.start)}
          </button>
          {problem.code !== null && <code>{clean(problem.code)}</code>}
          <span>{clean(problem.message)}</span>
          {problem.hint !== null && <span class="hint">{clean(problem.hint)}</span>}
        </li>
      ))}
    </ul>
  );
}

function Containment({ info: { containment, grants, gateways } }: { info: SessionFrame }) {
  const { containment: _, configured_artifacts, ...may } = (grants ?? {}) as Record<string, unknown>;
  return (
    <>
      <h2>Containment</h2>
      {containment === null ? (
        <p class="dim">Not decided yet.</p>
      ) : (
        <>
          <p class="verdict">
            <span class={`pill ${containment.achieved === containment.declared ? 'good' : 'warn'}`}>
              {clean(containment.achieved)}
            </span>
            <span class="dim">
              {containment.achieved === containment.declared
                ? 'is enforced, as declared'
                : `is enforced, ${clean(containment.declared)} was asked for`}
            </span>
          </p>
          {containment.reason !== null && <p class="dim">{clean(containment.reason)}</p>}
        </>
      )}
      <h2>Granted</h2>
      {grants === null ? (
        <p class="dim">Not known yet.</p>
      ) : (
        <>
          <Value value={may} />
          {Array.isArray(configured_artifacts) && configured_artifacts.length > 0 && (
            <Value value={{ configured_artifacts }} />
          )}
        </>
      )}
      {gateways.length > 0 && (
        <ul class="gateways">
          {gateways.map(({ artifact, host, credentialSource }) => (
            <li key={artifact}>
              {clean(artifact)} → <code>{clean(host)}</code>{' '}
              <span class="dim">credential from {clean(credentialSource)}</span>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

function About({ info }: { info: SessionFrame }) {
  const { axis } = usePicture();
  const rows: readonly (readonly [string, string | null])[] = [
    ['capsule', `${info.capsule.name} ${info.capsule.version}`],
    ['session', info.sys],
    ['model', info.model],
    ['driver', info.driver],
    ['turns at most', info.maxTurns === null ? null : String(info.maxTurns)],
    ['tools', info.tools.join(', ') || null],
    ['door', info.url],
    ['process', info.pid === null ? null : String(info.pid)],
    ['ran for', duration(axis.end - axis.start)],
    ['work folder', info.workdir],
    ['records', info.recordsDir],
  ];
  return (
    <>
      <h2>About</h2>
      <dl class="value about">
        {rows.map(([name, value]) =>
          value === null ? null : (
            <div key={name}>
              <dt>{name}</dt>
              <dd class="string">{clean(value)}</dd>
            </div>
          ),
        )}
      </dl>
    </>
  );
}
