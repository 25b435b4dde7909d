/** The session as it reads: tasks, their turns, and in each turn what the model thought, said and called. */
import type { Call } from './call.js';
import type { Entry } from './model.js';
import { plain } from './names.js';

export interface Block {
  readonly kind: 'text' | 'thinking' | 'user' | 'other';
  readonly text: string;
  readonly at: number;
  readonly cut: number;
  /** Who put it there, when it was neither model nor user. */
  readonly by: string | null;
}

export interface Turn {
  readonly index: number;
  readonly at: number;
  readonly driver: Call | null;
  readonly blocks: readonly Block[];
  readonly calls: readonly Call[];
}

export interface Task {
  readonly id: string;
  readonly source: string;
  /** The first message of the user; null until it is known. */
  readonly text: string | null;
  readonly textCut: number;
  readonly startedAt: number;
  readonly endedAt: number | null;
  readonly status: string | null;
  readonly reason: string | null;
  readonly turns: readonly Turn[];
}

interface Draft {
  id: string;
  source: string;
  text: string | null;
  textCut: number;
  startedAt: number;
  endedAt: number | null;
  status: string | null;
  reason: string | null;
  turns: Map<number, { at: number; driver: Call | null; blocks: Block[]; calls: Call[] }>;
  /** Turn of the newest message of the model; -1 before the first. */
  spoke: number;
}

export function storyOf(entries: readonly Entry[], calls: readonly Call[]): Task[] {
  const tasks = new Map<string, Draft>();
  const byContext = new Map<string, string>();
  const turnOfCall = new Map<string, number>();

  const taskOf = (id: string, at: number): Draft => {
    let task = tasks.get(id);
    if (task === undefined) {
      task = {
        id,
        source: '',
        text: null,
        textCut: 0,
        startedAt: at,
        endedAt: null,
        status: null,
        reason: null,
        turns: new Map(),
        spoke: -1,
      };
      tasks.set(id, task);
    }
    return task;
  };
  const turnOf = (task: Draft, index: number, at: number) => {
    let turn = task.turns.get(index);
    if (turn === undefined) {
      turn = { at, driver: null, blocks: [], calls: [] };
      task.turns.set(index, turn);
    }
    turn.at = Math.min(turn.at, at);
    return turn;
  };

  for (const call of calls) {
    if (call.callId !== null) turnOfCall.set(`${call.taskId} ${call.callId}`, call.turn);
    const turn = turnOf(taskOf(call.taskId, call.start), call.turn, call.start);
    if (call.kind === 'driver') turn.driver = call;
    else turn.calls.push(call);
  }

  for (const entry of entries) {
    if (entry.type === 'note' && entry.note.type === 'task.started') {
      const task = taskOf(entry.note.taskId, entry.at);
      task.startedAt = Math.min(task.startedAt, entry.at);
      task.source ||= entry.note.source;
      task.text ??= entry.note.text;
      byContext.set(entry.note.contextId, entry.note.taskId);
    } else if (entry.type === 'note' && entry.note.type === 'task.ended') {
      const task = taskOf(entry.note.taskId, entry.at);
      task.endedAt = entry.at;
      task.status = entry.note.status;
      task.reason = entry.note.reason ?? task.reason;
    } else if (entry.type === 'trace') {
      const { line, at } = entry;
      const id = typeof line.task_id === 'string' ? line.task_id : null;
      if (id === null) continue;
      if (line.event_type === 'task_start') {
        const task = taskOf(id, at);
        task.startedAt = Math.min(task.startedAt, at);
        task.source = plain(line.source);
        byContext.set(plain(line.context_id), id);
      } else if (line.event_type === 'task_end') {
        const task = taskOf(id, at);
        task.endedAt = at;
        task.status = plain(line.exit_status);
      } else if (line.event_type === 'task_failed') taskOf(id, at).reason = plain(line.reason);
    } else if (entry.type === 'message') {
      const { message, at, cut = 0 } = entry;
      const id = entry.taskId ?? byContext.get(entry.contextId) ?? [...tasks.keys()].at(-1) ?? '';
      const task = taskOf(id, at);
      const texts = message.content.filter((block) => typeof block.text === 'string');
      if (message.role === 'user' && task.spoke < 0 && message.inserted_by === undefined) {
        task.text = texts.map((block) => plain(block.text)).join('\n') || task.text;
        task.textCut = cut;
        continue;
      }
      if (message.role === 'tool') continue;
      const called = message.content
        .filter((block) => block.type === 'tool_call')
        .map((block) => turnOfCall.get(`${id} ${plain(block.id)}`))
        .find((turn) => turn !== undefined);
      const index = message.role === 'user' ? Math.max(0, task.spoke) : (called ?? nextTurn(task));
      if (message.role === 'assistant') task.spoke = index;
      const turn = turnOf(task, index, at);
      for (const block of message.content) {
        if (block.type === 'tool_call') continue;
        const kind =
          message.role === 'user' ? 'user' : block.type === 'thinking' || block.type === 'text' ? block.type : 'other';
        const text = typeof block.text === 'string' ? block.text : `[${plain(block.type)}]`;
        if (text.trim() !== '') turn.blocks.push({ kind, text, at, cut, by: message.inserted_by ?? null });
      }
    }
  }

  return [...tasks.values()]
    .filter((task) => task.id !== '' || task.turns.size > 0)
    .map(({ turns, spoke: _, ...task }) => ({
      ...task,
      turns: [...turns].sort(([a], [b]) => a - b).map(([index, turn]) => ({ index, ...turn })),
    }));
}

/** A message without calls belongs to the first turn after the last that spoke whose model call is known, or simply the next. */
function nextTurn(task: Draft): number {
  const later = [...task.turns].filter(
    ([index, { driver }]) => index > task.spoke && driver !== null && driver.status !== 'error',
  );
  return later.length > 0 ? Math.min(...later.map(([index]) => index)) : task.spoke + 1;
}
