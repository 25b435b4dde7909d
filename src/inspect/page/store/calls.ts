/**
 * What took time: driver calls, tool calls, skills, commands. Joined from whatever told of them (actors, notices, trace lines,
 * messages), so that a session reads the same while it runs, from its records, and from a half of either.
 */
import type { MessageFrame, NoteFrame, TraceFrame } from '../../frame.js';
import type { Call, CallKind, Tokens } from './call.js';
import { unfenced } from './fence.js';
import type { Entry } from './model.js';
import { plain } from './names.js';

class Calls {
  readonly all = new Map<string, Call>();
  /** By task: since when the next driver call can have been running. */
  readonly #since = new Map<string, number>();
  readonly #taskOfContext = new Map<string, string>();

  at(entry: Entry): void {
    if (entry.type === 'actor') this.#actor(entry.id, entry.name, entry.at, entry.snap.c);
    else if (entry.type === 'gone') this.#gone(entry.id, entry.at);
    else if (entry.type === 'note') this.#note(entry);
    else if (entry.type === 'trace') this.#trace(entry);
    else if (entry.type === 'message') this.#message(entry);
  }

  #call(key: string, kind: CallKind, taskId: string, turn: number, start: number): Call {
    let call = this.all.get(key);
    if (call === undefined) {
      call = {
        key,
        kind,
        taskId,
        turn,
        start,
        name: kind === 'driver' ? 'model' : '',
        callId: null,
        end: null,
        status: 'running',
        inBytes: null,
        outBytes: null,
        input: undefined,
        output: null,
        fence: null,
        error: null,
        code: null,
        tokens: null,
        decision: null,
        model: null,
        cut: 0,
        exitCode: null,
      };
      this.all.set(key, call);
    }
    return call;
  }

  #driver(taskId: string, turn: number, start: number): Call {
    return this.#call(`${taskId} driver ${turn}`, 'driver', taskId, turn, start);
  }

  #tool(taskId: string, callId: string, turn: number, start: number): Call {
    const call = this.#call(`${taskId} call ${callId}`, 'tool', taskId, turn, start);
    call.callId = callId;
    return call;
  }

  #actor(id: string, name: string, at: number, context: unknown): void {
    const place = placeOf(id);
    if (place === null) return;
    // A client that came later is told of it then; a notice may know the real start.
    if (name === 'infer') this.#driver(place.taskId, place.turn, at);
    else if (name === 'tool-call') {
      const { callId, name: tool } = (context ?? {}) as { callId?: unknown; name?: unknown };
      if (typeof callId !== 'string') return;
      const call = this.#tool(place.taskId, callId, place.turn, at);
      if (typeof tool === 'string') call.name = tool;
    }
  }

  #gone(id: string, at: number): void {
    const place = placeOf(id);
    if (place === null || !id.endsWith('/infer')) return;
    const call = this.all.get(`${place.taskId} driver ${place.turn}`);
    if (call === undefined || call.end !== null) return;
    call.end = at;
    if (call.status === 'running') call.status = 'ok';
  }

  #note({ at, note, cut }: NoteFrame): void {
    if (note.type === 'turn.started') this.#driver(note.taskId, note.turn, at).model = note.model;
    else if (note.type === 'turn.ended') {
      const call = this.#driver(note.taskId, note.turn, at - note.durationMs);
      call.start = at - note.durationMs;
      call.end ??= at;
      call.decision = note.decision;
      if (call.status === 'running') call.status = note.decision === 'error' ? 'error' : 'ok';
      call.tokens ??= tokensOf(note.inputTokens, note.outputTokens);
    } else if (note.type === 'tool.started') {
      const call = this.#tool(note.taskId, note.callId, note.turn, at);
      call.name = note.name;
      call.input ??= jsonOf(note.input);
      call.cut ||= cut ?? 0;
    } else if (note.type === 'tool.finished') {
      const call = this.#tool(note.taskId, note.callId, 0, at - note.durationMs);
      call.name ||= note.name;
      call.end ??= at;
      call.status = note.status;
      call.outBytes ??= note.outputBytes;
      if (note.error !== undefined) call.error ??= note.error;
    }
  }

  #trace({ at, line, cut }: TraceFrame): void {
    const task = text(line.task_id);
    const turn = amount(line.turn);
    const end = number(line.timestamp) ?? at;
    switch (line.event_type) {
      case 'task_start':
        this.#since.set(task, end);
        if (typeof line.context_id === 'string') this.#taskOfContext.set(line.context_id, task);
        return;
      case 'inference': {
        if (line.origin !== undefined) return;
        const call = this.#driver(task, turn, this.#since.get(task) ?? end);
        call.end ??= end;
        call.status = line.decision === 'error' ? 'error' : 'ok';
        call.decision = text(line.decision);
        call.tokens = tokensOf(line.input_tokens, line.output_tokens, line.cached_tokens, line.thinking_tokens);
        if (typeof line.error === 'string') call.error = line.error;
        if (typeof line.error_code === 'string') call.code = line.error_code;
        if (typeof line.model === 'string') call.model = line.model;
        break;
      }
      case 'tool_call':
      case 'skill_call': {
        const name = text(line.tool_name ?? line.skill_name);
        const took = amount(line.duration_ms);
        const id = line.tool_call_id ?? this.#openCall(task, name) ?? line.event_id;
        const call = this.#tool(task, text(id), turn, end - took);
        if (line.event_type === 'skill_call') call.kind = 'skill';
        call.name = name;
        call.turn = turn;
        call.start = Math.min(call.start, end - took);
        call.end = Math.max(call.start, end);
        call.status = line.status === 'ok' ? 'ok' : 'error';
        call.inBytes = number(line.input_bytes);
        call.outBytes = number(line.output_bytes);
        if (line.input !== undefined) call.input = line.input;
        if (typeof line.output === 'string') call.output ??= line.output;
        if (typeof line.error === 'string') call.error = line.error;
        call.cut ||= cut ?? 0;
        break;
      }
      default: {
        // One in the background is told of when it goes there, and again when it ends.
        if (!/^shell(_[a-z]+)?$/.test(line.event_type)) return;
        const took = amount(line.duration_ms ?? line.grace_ms);
        const call = this.#call(`shell ${plain(line.work_id ?? line.event_id)}`, 'shell', task, turn, end - took);
        call.name = text(line.binary);
        call.input = line.command;
        if (line.grace_ms !== undefined) break;
        call.end = end;
        call.exitCode = number(line.exit_code);
        call.status = call.exitCode === 0 ? 'ok' : 'error';
        call.outBytes = amount(line.stdout_bytes) + amount(line.stderr_bytes) + amount(line.output_bytes);
      }
    }
    this.#since.set(task, end);
  }

  /** Skills carry no call id in the trace: the newest call of that name without an end, or ended by a notice only. */
  #openCall(task: string, name: string): string | null {
    const open = [...this.all.values()].findLast(
      (call) => call.taskId === task && call.name === name && call.callId !== null && call.outBytes === null,
    );
    const noted = [...this.all.values()].findLast((call) => call.taskId === task && call.name === name);
    return open?.callId ?? noted?.callId ?? null;
  }

  #message({ message, taskId, contextId, at, cut }: MessageFrame): void {
    const task = taskId ?? this.#taskOfContext.get(contextId) ?? '';
    if (message.role === 'assistant') {
      for (const block of message.content) {
        if (block.type !== 'tool_call' || typeof block.id !== 'string') continue;
        const call = this.#known(task, block.id, text(block.name)) ?? this.#tool(task, block.id, 0, at);
        call.name ||= text(block.name);
        call.input ??= block.input;
      }
      return;
    }
    if (message.role !== 'tool' || message.tool_call_id === undefined) return;
    const call = this.#known(task, message.tool_call_id, null) ?? this.#tool(task, message.tool_call_id, 0, at);
    const output = message.content
      .map((block) => (block.type === 'text' ? text(block.text) : `[${plain(block.type)}]`))
      .join('\n');
    call.output = unfenced(output, message.fence);
    call.fence = message.fence ?? null;
    call.end ??= at;
    if (call.status === 'running') call.status = message.is_error === true ? 'error' : 'ok';
    call.cut ||= cut ?? 0;
  }

  #known(task: string, callId: string, skill: string | null): Call | undefined {
    const call = this.all.get(`${task} call ${callId}`);
    if (call !== undefined || skill === null) return call;
    // A skill known from its trace line only has that line's id.
    const anonymous = [...this.all.values()].find(
      (each) => each.taskId === task && each.kind === 'skill' && each.name === skill && each.callId?.startsWith('evt_'),
    );
    if (anonymous === undefined) return undefined;
    this.all.delete(anonymous.key);
    const renamed = { ...anonymous, key: `${task} call ${callId}`, callId };
    this.all.set(renamed.key, renamed);
    return renamed;
  }
}

/** Every call, in the order they began. */
export function callsOf(entries: readonly Entry[]): Call[] {
  const calls = new Calls();
  for (const entry of entries) calls.at(entry);
  return [...calls.all.values()].sort(
    (a, b) => a.start - b.start || Number(a.kind !== 'driver') - Number(b.kind !== 'driver'),
  );
}

/** `session/task:T/turn:0/infer` as its parts. */
function placeOf(id: string): { readonly taskId: string; readonly turn: number } | null {
  const matched = /\/task:([^/]+)\/turn:(\d+)\//.exec(id);
  return matched === null ? null : { taskId: matched[1]!, turn: Number(matched[2]) };
}

function tokensOf(input: unknown, output: unknown, cached?: unknown, thinking?: unknown): Tokens | null {
  if (input === undefined && output === undefined) return null;
  return { input: number(input), output: number(output), cached: number(cached), thinking: number(thinking) };
}

function number(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}

function amount(value: unknown): number {
  return number(value) ?? 0;
}

function text(value: unknown): string {
  return value === undefined || value === null ? '' : plain(value);
}

function jsonOf(written: string): unknown {
  try {
    return JSON.parse(written);
  } catch {
    return written;
  }
}
