/**
 * What a frame must have so that everything behind the intake may rely on it. The hub keeps to frame.ts by its types; a page can also
 * be fed by a bundle somebody sent, an older or newer mur, or a program that is none.
 *
 * Does not look at what is only shown: any value can be shown.
 */

/** By type, the paths that are needed; with `?` at the end they may be missing. What has to be there follows from the last word. */
const frames: Readonly<Record<string, string>> = {
  hello: 'now',
  def: 'key id',
  session: 'sys at capsule.name capsule.version tools gateways liveness.verdict liveness.evidence startedAt?',
  actor: 'sys at id name parent? def? snap.s',
  ev: 'sys at to from? ev.type',
  snap: 'sys at id snap.s by tr',
  gone: 'sys at id why',
  trace: 'sys at line.event_type',
  note: 'sys at note.type',
  message: 'sys at contextId taskId? message.id message.role message.content message.tool_call_id? message.fence?',
  synced: 'sys at',
  lost: 'sys at',
};

/** The same inside a note, by its type. Other notes are only shown. */
const notes: Readonly<Record<string, string>> = {
  'task.started': 'taskId contextId source text',
  'turn.started': 'taskId turn model',
  'turn.ended': 'taskId turn decision durationMs',
  'tool.started': 'taskId turn callId name input',
  'tool.finished': 'taskId callId name status durationMs outputBytes error?',
  'task.ended': 'taskId status reason?',
  'text.chunk': 'taskId text',
  'thinking.chunk': 'taskId text',
  warning: 'message',
};

/** What is wrong with `frame`, in a few words; null when nothing is. */
export function wrongIn(frame: unknown): string | null {
  const type = at(frame, 'type');
  const needed = listed(frames, type);
  if (needed === '') return 'of a kind that this page does not know';
  const note = at(frame, 'note');
  const wrong =
    missing(frame, `q ${needed}`) ?? (type === 'note' ? missing(note, listed(notes, at(note, 'type'))) : null);
  return wrong === null ? null : `${type} with a wrong ${wrong}`;
}

function listed(table: Readonly<Record<string, string>>, type: unknown): string {
  return typeof type === 'string' && Object.hasOwn(table, type) ? table[type]! : '';
}

function missing(value: unknown, needed: string): string | null {
  for (const [, path, mayMiss] of needed.matchAll(/([^ ?]+)(\??)/g)) {
    const found = at(value, path!);
    if (!(mayMiss && found === undefined) && !isRight(path!, found)) return path!;
  }
  return null;
}

function isRight(path: string, value: unknown): boolean {
  // Within the range of dates, and never infinite.
  if (/^(q|at|now|turn|startedAt|durationMs|outputBytes)$/.test(path))
    return (value === null && path === 'startedAt') || (typeof value === 'number' && Math.abs(value) <= 864e13);
  const list = /(tr|tools|evidence)$|(gateways|content)$/.exec(path);
  if (list === null) return typeof value === 'string';
  return (
    Array.isArray(value) && value.every((each) => typeof each === (list[1] ? 'string' : 'object') && each !== null)
  );
}

function at(value: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((inner, key) => (inner as Record<string, unknown> | null | undefined)?.[key], value);
}
