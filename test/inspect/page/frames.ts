/**
 * Frames of a session, as a hub would send them, made from the records of a real one (session/): its trace and conversation word
 * for word, its times, and the steps of the task, turn and tool-call charts that must have happened between two trace lines.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { charts } from '../../../machines/index.js';
import type { ChartLayout } from '../../../src/diagram/index.js';
import { chartOf } from '../../../src/diagram/index.js';
import type {
  ActorFrame,
  DefFrame,
  Frame,
  HelloFrame,
  MessageFrame,
  SessionFrame,
  SnapshotView,
} from '../../../src/inspect/frame.js';

const here = import.meta.dirname;

/** Keys of trace lines that are used here. */
interface Line {
  readonly event_type: string;
  readonly timestamp: number;
  readonly task_id: string;
  readonly context_id: string;
  readonly turn: number;
  readonly duration_ms: number;
  readonly output_bytes: number;
  readonly status: 'ok' | 'error';
  readonly decision: string;
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly effective_grants: { readonly containment: NonNullable<SessionFrame['containment']> };
}

function lines<T>(name: string): T[] {
  return readFileSync(join(here, 'session', name), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

export const SESSION = 'ses_01a2278ec3d470acaf26b87caea380d8';

export function defs(): DefFrame[] {
  return (['session', 'task', 'turn', 'tool-call'] as const).map((id, q) => ({
    ...{ type: 'def', q, key: `def-${id}`, id, chart: chartOf(charts[id].machine) },
    layout: JSON.parse(readFileSync(join(here, `../../../diagrams/${id}.layout.json`), 'utf8')) as ChartLayout,
  }));
}

type Value = NonNullable<SnapshotView['v']>;
type Omitted<T> = T extends unknown ? Omit<T, 'q' | 'sys' | 'at'> : never;

/** Writes frames of one session with rising `q`. */
export class Script {
  readonly frames: Frame[] = [];
  readonly #defs = new Map(defs().map((def) => [def.id, def]));
  readonly #actors = new Map<string, { def: string | null; value: Value; context: Record<string, unknown> }>();
  #q = 0;
  now: number;

  constructor(
    readonly sys: string,
    now: number,
  ) {
    this.now = now;
  }

  push(frame: Omitted<Frame>, at = this.now): void {
    this.#q += 1;
    this.now = Math.max(this.now, at);
    this.frames.push({ ...frame, sys: this.sys, q: this.#q, at } as unknown as Frame);
  }

  actor(id: string, value: Value | null, context: Record<string, unknown> = {}): void {
    const part = id.slice(id.lastIndexOf('/') + 1);
    const name = part.replace(/:.*/, '');
    const def = this.#defs.has(name) ? name : null;
    const parent = id.includes('/') ? { parent: id.slice(0, id.lastIndexOf('/')) } : {};
    this.#actors.set(id, { def, value: value ?? '', context });
    const snap = { s: 'active', ...(value === null ? {} : { v: value, c: context }) } as const;
    this.push({
      type: 'actor',
      id,
      name,
      ...parent,
      ...(def === null ? {} : { def: `def-${def}` }),
      snap,
    } as Omitted<ActorFrame>);
  }

  /** `event` reaches `id`, which goes to `value` by the edges of `edges` (short: without the machine's id). */
  step(
    id: string,
    from: string | null,
    event: { readonly type: string; readonly [key: string]: unknown },
    value: Value,
    edges: readonly string[],
    context = {},
  ): void {
    const actor = this.#actors.get(id)!;
    actor.value = value;
    actor.context = { ...actor.context, ...context };
    this.push({ type: 'ev', to: id, ...(from === null ? {} : { from }), ev: event });
    const chart = this.#defs.get(actor.def!)!.chart;
    const tr = edges.map((edge) => `${actor.def}.${edge}`);
    for (const edge of tr) if (!chart.edges.some(({ id: known }) => known === edge)) throw new Error(`no edge ${edge}`);
    this.push({ type: 'snap', id, snap: { s: 'active', v: value, c: actor.context }, by: event.type, tr });
  }

  gone(id: string, why: 'done' | 'error' | 'stopped' = 'done'): void {
    this.push({ type: 'gone', id, why });
  }

  /** An effect of `parent` that ran until now and answered. */
  effect(
    parent: string,
    name: string,
    from: number,
    answer: object,
    value: Value,
    edges: readonly string[],
    context = {},
  ): void {
    const id = `${parent}/${name}`;
    const until = this.now;
    this.now = Math.min(from, until);
    const frame = { type: 'actor', id, name, parent, snap: { s: 'active' } };
    this.push(frame as unknown as Omitted<Frame>, this.now);
    this.now = until;
    const type = `xstate.done.actor.${name}`;
    this.step(parent, id, { type, output: answer }, value, edges, context);
    this.gone(id);
  }
}

const steps = ['validate', 'probe', 'contain', 'resolve', 'check', 'compile', 'mint', 'write'] as const;
const doing = ['validating', 'probing', 'containing', 'resolving', 'checking', 'compiling', 'minting', 'writing'];

export interface Told {
  readonly hello: HelloFrame;
  readonly defs: readonly DefFrame[];
  readonly session: SessionFrame;
  /** Everything that happened, by time. */
  readonly frames: readonly Frame[];
}

/** The whole recorded session. `shift` moves its times. */
export function recorded({ sys = SESSION, shift = 0, name = 'first' } = {}): Told {
  const trace = lines<Line>('trace.jsonl').map((line) => ({
    ...line,
    session_id: sys,
    timestamp: line.timestamp + shift,
  }));
  const messages = lines<MessageFrame['message']>('conversation.jsonl');
  const events = lines<{ at: number; ev: { type: string } }>('events.jsonl').slice(1);
  const script = new Script(sys, events[0]!.at + shift);
  const root = 'session';
  script.actor(root, { staging: 'validating' }, { capsuleName: name, status: null, sessionId: null, pending: [] });
  steps.forEach((step, index) => {
    const at = events.find(({ ev }) => ev.type === `xstate.done.actor.${step}`)!.at + shift;
    const from = script.now;
    script.now = at;
    const next: Value = index < 7 ? { staging: doing[index + 1]! } : { running: 'opening' };
    const more = index < 7 ? [] : ['running.choosing-kind#always#1'];
    script.effect(root, step, from, { ok: true }, next, [
      `staging.${doing[index]}#xstate.done.actor.${step}#0`,
      ...more,
    ]);
  });
  const start = trace.find(({ event_type }) => event_type === 'session_start')!;
  script.push({ type: 'trace', line: start as never }, start.timestamp);
  const begin = trace.find(({ event_type }) => event_type === 'task_start')!;
  const taskId = begin.task_id as string;
  const ref = { taskId, contextId: begin.context_id, source: 'task_md' };
  script.now = start.timestamp + 27;
  script.effect(
    root,
    'open',
    start.timestamp - 8,
    { ok: true, url: 'localhost:39021', launchTask: ref },
    { running: { serving: 'working' } },
    ['running.opening#xstate.done.actor.open#0', 'running.serving.choosing#always#1'],
    { active: ref, url: 'localhost:39021' },
  );

  const task = `${root}/task:${taskId}`;
  script.actor(task, 'submitted', {
    taskId,
    contextId: begin.context_id,
    source: 'task_md',
    maxTurns: 10,
    turn: 0,
    status: null,
  });
  script.push({
    type: 'note',
    note: {
      type: 'task.started',
      taskId,
      contextId: begin.context_id,
      source: 'task_md',
      text: 'Why did the pump stop?',
    },
  });
  script.push({ type: 'trace', line: begin as never }, begin.timestamp);
  script.push({ type: 'message', contextId: begin.context_id, taskId, message: messages[0]! });
  const active = { active: { loop: 'turning', attention: 'working' } };
  script.effect(task, 'begin', begin.timestamp - 3, { ok: true }, active, ['submitted#xstate.done.actor.begin#0']);

  let said = 1;
  const turns = trace.filter(({ event_type }) => event_type === 'inference');
  for (const inference of turns) {
    const turn = `${task}/turn:${inference.turn}`;
    const born = script.now;
    script.actor(turn, 'preparing', { taskId, turn: inference.turn, calls: [], nextCall: 0, status: null });
    script.push({ type: 'note', note: { type: 'turn.started', taskId, turn: inference.turn, model: 'rehearsal' } });
    script.now = born + 4;
    script.effect(turn, 'prepare', born, {}, 'inferring', ['preparing#xstate.done.actor.prepare#0']);
    const message = messages[said]!;
    const calls = trace.filter(
      ({ event_type, turn: of }) => /^(tool|skill)_call$/.test(event_type) && of === inference.turn,
    );
    const asked = message.content.filter(({ type }) => type === 'tool_call');
    const from = script.now;
    for (const block of message.content) {
      if (typeof block.text !== 'string') continue;
      const type = block.type === 'thinking' ? 'thinking.chunk' : 'text.chunk';
      const words = block.text.split(/(?<= )/);
      words.forEach((text, index) => {
        const at = from + Math.floor(((inference.timestamp - from) * (index + 1)) / (words.length + 1));
        script.push({ type: 'note', note: { type, taskId, text } }, at);
      });
    }
    script.now = inference.timestamp;
    script.push({ type: 'trace', line: inference as never });
    script.push({
      type: 'note',
      note: {
        ...{
          type: 'turn.ended',
          taskId,
          turn: inference.turn,
          decision: inference.decision,
          durationMs: inference.timestamp - from,
        },
        ...{ inputTokens: inference.input_tokens, outputTokens: inference.output_tokens },
      },
    });
    const refs = asked.map(({ id, name: tool }) => ({ callId: id, name: tool }));
    if (calls.length === 0) {
      script.effect(
        turn,
        'infer',
        from,
        { decision: 'end_turn' },
        'committing',
        ['inferring#xstate.done.actor.infer#1'],
        { status: 'ok' },
      );
    } else {
      script.effect(
        turn,
        'infer',
        from,
        { decision: 'tool_call', calls: refs },
        'dispatching',
        ['inferring#xstate.done.actor.infer#0'],
        { calls: refs },
      );
    }
    calls.forEach((line, index) => {
      const block = asked[index] as unknown as { id: string; name: string; input: unknown };
      const call = `${turn}/tool-call:${index}`;
      const end = line.timestamp as number;
      script.now = Math.max(script.now, end - line.duration_ms);
      const began = script.now;
      script.actor(call, 'admitting', {
        taskId,
        turn: inference.turn,
        index,
        callId: block.id,
        name: block.name,
        route: null,
        status: null,
      });
      script.push({
        type: 'note',
        note: {
          type: 'tool.started',
          taskId,
          turn: inference.turn,
          callId: block.id,
          name: block.name,
          input: JSON.stringify(block.input),
        },
      });
      const route = line.event_type === 'skill_call' ? 'skill' : 'wasm';
      script.effect(
        call,
        'admit',
        began,
        { route },
        { running: route },
        [`admitting#xstate.done.actor.admit#${route === 'skill' ? 3 : 0}`],
        { route },
      );
      script.now = end;
      script.effect(call, 'run', began, { status: line.status }, 'fenced', ['running#xstate.done.actor.run#0'], {
        status: line.status,
      });
      script.effect(call, 'fence', end, {}, 'recorded', ['fenced#xstate.done.actor.fence#0']);
      script.push({ type: 'trace', line: line as never });
      script.push({
        type: 'note',
        note: {
          type: 'tool.finished',
          taskId,
          callId: block.id,
          name: block.name,
          status: line.status,
          durationMs: line.duration_ms,
          outputBytes: line.output_bytes,
        },
      });
      script.effect(call, 'record', end, {}, 'done', ['recorded#xstate.done.actor.record#0']);
      script.gone(call);
      const last = index === calls.length - 1;
      script.step(
        turn,
        call,
        { type: 'xstate.done.actor.tool-call', output: { callId: block.id, status: line.status } },
        last ? 'committing' : 'dispatching',
        [`dispatching#xstate.done.actor.tool-call#${last ? 2 : 1}`],
        { nextCall: index },
      );
    });
    const until = said + 1 + asked.length;
    for (; said < until; said += 1)
      script.push({ type: 'message', contextId: begin.context_id, taskId, message: messages[said]! });
    script.effect(turn, 'commit', script.now, {}, 'done', ['committing#xstate.done.actor.commit#0']);
    script.gone(turn);
    const more = inference !== turns.at(-1);
    script.step(
      task,
      turn,
      { type: 'xstate.done.actor.turn', output: { status: more ? null : 'ok' } },
      more ? active : 'ending',
      [`active.loop.turning#xstate.done.actor.turn#${more ? 1 : 0}`],
      { turn: inference.turn + 1 },
    );
  }

  const end = trace.find(({ event_type }) => event_type === 'task_end')!;
  script.now = end.timestamp;
  script.push({ type: 'trace', line: end as never });
  script.push({
    type: 'note',
    note: { type: 'task.ended', taskId, status: 'ok', turns: 6, durationMs: end.duration_ms },
  });
  script.effect(task, 'end', script.now, {}, 'completed', ['ending#xstate.done.actor.end#0', 'settled#always#0'], {
    status: 'ok',
  });
  script.gone(task);
  script.step(
    root,
    task,
    { type: 'xstate.done.actor.task', output: { taskId, status: 'ok' } },
    { draining: 'refusing' },
    ['running.serving.working#xstate.done.actor.task#0', 'running.serving.choosing#always#2'],
    { active: null, status: 'ok' },
  );
  script.effect(root, 'refuse', script.now, {}, { draining: 'closing' }, [
    'draining.refusing#xstate.done.actor.refuse#0',
  ]);
  const over = trace.find(({ event_type }) => event_type === 'session_end')!;
  script.push({ type: 'trace', line: over as never }, over.timestamp);
  script.effect(root, 'close', script.now, {}, { draining: 'retiring' }, [
    'draining.closing#xstate.done.actor.close#0',
  ]);
  script.now += 3;
  script.effect(root, 'retire', script.now - 3, {}, 'ended', ['draining.retiring#xstate.done.actor.retire#0']);
  script.gone(root);

  const session: SessionFrame = {
    ...{
      type: 'session',
      q: 1,
      sys,
      at: script.now,
      capsule: { name, version: '0.1.0' },
      kind: 'agent',
      source: 'records',
    },
    ...{
      sourceNote: null,
      url: null,
      pid: 4242,
      startedAt: events[0]!.at + shift,
      recordsDir: `/home/user/.murmur/records/first/${sys}`,
    },
    ...{
      workdir: `/home/user/capsules/first/workdir/${sys}`,
      model: 'rehearsal',
      driver: 'mur-driver-rehearsal',
      maxTurns: 10,
    },
    tools: ['mur-skill-report', 'mur-tool-files'],
    containment: start.effective_grants.containment,
    grants: start.effective_grants,
    gateways: [],
    liveness: {
      verdict: 'Gone',
      reason: 'the running record is no longer there',
      evidence: ['session_end is the last line of the trace', 'no process holds pid 4242'],
      at: script.now,
    },
    ended: { status: 'ok', at: over.timestamp, fault: null },
  };
  return {
    hello: { type: 'hello', q: 0, v: 1, scope: sys, now: script.now, mur: '0.1.0' },
    defs: defs(),
    session,
    frames: script.frames,
  };
}

/** The recorded session told in one go, as for one that ended. */
export function ended(told = recorded()): Frame[] {
  const past = told.frames.map((frame) => ({ ...frame, past: true }) as Frame);
  return [
    told.hello,
    told.session,
    ...told.defs,
    ...past,
    { type: 'synced', q: past.length + 2, sys: told.session.sys, at: told.session.at },
  ];
}

/** As it was while it ran. */
export function running(session: SessionFrame): SessionFrame {
  const evidence = ['pid 4242 is there', 'its start token matches', 'GET /health answered as this session in 2 ms'];
  return {
    ...session,
    source: 'live',
    url: 'localhost:39021',
    liveness: { verdict: 'Live', reason: null, evidence, at: session.startedAt! },
    ended: null,
  };
}
