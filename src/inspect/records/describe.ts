import type { RecordedSession } from '../../replay/recorded.js';
import { grantedOf, sessionIdPlaceholder } from '../../scope/index.js';
import { idTimeMs } from '../../supervise/ids.js';
import type { EndedView, LivenessView, SessionFrame } from '../frame.js';
import type { FrameBody } from '../item.js';
import { recordCaps, redact, type TextRedactor } from '../redact.js';
import { storeOf } from './conversations.js';
import type { JsonObject } from './lines.js';

/** What the records say of a session, gathered line by line. */
export class SessionFacts {
  readonly #session: RecordedSession;
  readonly #redactText: TextRedactor;
  #start: JsonObject | undefined;
  #end: JsonObject | undefined;
  #lastAt = 0;
  #fault: EndedView['fault'] = null;

  constructor(session: RecordedSession, redactText: TextRedactor) {
    this.#session = session;
    this.#redactText = redactText;
  }

  get capsule(): string {
    return text(this.#start?.capsule_name) ?? '';
  }

  /** Where its conversations are; `undefined` when it recorded none. */
  get store(): string | undefined {
    return storeOf(this.#start);
  }

  get hasEnded(): boolean {
    return this.#end !== undefined;
  }

  /** A line of the trace. */
  heard(line: JsonObject): void {
    if (typeof line.timestamp === 'number') this.#lastAt = line.timestamp;
    if (line.event_type === 'session_start') this.#start ??= line;
    if (line.event_type === 'session_end') this.#end = line;
    if (line.event_type === 'task_failed' && typeof line.reason === 'string') {
      this.#fault = { code: 'E-RUN-040', message: this.#redactText(line.reason) };
    }
  }

  /** The `session` frame. `live` is what the running record adds; absent for a session that has none. */
  describe(
    at: number,
    liveness: LivenessView,
    live?: { readonly url: string; readonly pid: number; readonly capsule: SessionFrame['capsule'] },
    note: string | null = null,
  ): FrameBody & { readonly type: 'session' } {
    const start = this.#start ?? {};
    const { sessionId, recordsDir } = this.#session;
    const model = text(start.model) ?? '';
    const grants = redact(start.effective_grants, this.#redactText, recordCaps).value;
    const isOver = liveness.verdict === 'Gone';
    return {
      type: 'session',
      sys: sessionId,
      at,
      capsule: live?.capsule ?? { name: this.capsule, version: text(start.capsule_version) ?? '' },
      kind: this.#start === undefined ? 'unknown' : model === '' ? 'script' : 'agent',
      source: isOver ? 'records' : 'following',
      sourceNote: note,
      url: isOver ? null : (live?.url ?? null),
      pid: isOver ? null : (live?.pid ?? null),
      startedAt: idTimeMs(sessionId) ?? null,
      recordsDir,
      workdir: workFolder(grants, sessionId),
      model: model === '' ? null : model,
      driver: gatewaysOf(start).find(({ isMetered }) => isMetered)?.artifact ?? null,
      maxTurns: typeof start.max_turns === 'number' ? start.max_turns : null,
      tools: texts(start.tools_declared),
      containment: containmentOf(start, grants),
      grants: isObject(grants) ? grantedOf(grants) : null,
      gateways: gatewaysOf(start).map(({ artifact, host, credentialSource }) => ({ artifact, host, credentialSource })),
      liveness,
      ended: isOver ? this.#ended() : null,
    };
  }

  #ended(): EndedView {
    const status = text(this.#end?.exit_status) ?? 'unknown';
    const at = typeof this.#end?.timestamp === 'number' ? this.#end.timestamp : this.#lastAt;
    return { status, at, fault: status === 'ok' ? null : this.#fault };
  }
}

function gatewaysOf({ gateways }: JsonObject) {
  return (Array.isArray(gateways) ? gateways : []).filter(isObject).map((gateway) => ({
    artifact: text(gateway.artifact) ?? '',
    host: text(gateway.host) ?? '',
    credentialSource: text(gateway.credential_source) ?? '',
    isMetered: gateway.metered === true,
  }));
}

function containmentOf(start: JsonObject, grants: unknown): SessionFrame['containment'] {
  const declared = text(start.containment_declared);
  const achieved = text(start.containment_achieved);
  if (declared === undefined || achieved === undefined) return null;
  return { declared, achieved, reason: notMoreBecause(grants) ?? null };
}

/** In the grants as written today, and as older sessions wrote them. */
function notMoreBecause(grants: unknown): string | undefined {
  if (!isObject(grants)) return undefined;
  if (isObject(grants.containment)) return text(grants.containment.reason);
  const { records_dir: records } = grants;
  return isObject(records) ? text(records.not_protected_because) : undefined;
}

/** In the grants as written today, where a placeholder stands for the session's id, and as older sessions wrote them. */
function workFolder(grants: unknown, sessionId: string): string | null {
  if (!isObject(grants)) return null;
  const { filesystem, work_folder: folder } = grants;
  const path = isObject(filesystem) ? text(filesystem.work_folder) : text(folder);
  return path?.replaceAll(sessionIdPlaceholder, sessionId) ?? null;
}

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
