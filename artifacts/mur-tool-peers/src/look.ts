/** A task as its agent tells it, in either generation of A2A. What is read here is the agent's word: text, and nothing but text. */
import { fail } from 'mur:tool';

export interface Told {
  readonly task_id: string;
  readonly context_id: string;
  readonly state: string;
  /** What it answered, asked, or said of its end. */
  readonly answer?: string;
}

interface Part {
  readonly text?: unknown;
}
interface Task {
  readonly contextId?: unknown;
  readonly status?: { readonly state?: unknown; readonly message?: { readonly parts?: readonly Part[] } };
  readonly artifacts?: readonly { readonly parts?: readonly Part[] }[];
}
interface Reply {
  readonly result?: Task;
  readonly error?: { readonly code?: unknown; readonly message?: unknown };
}

/** True when nothing more happens by itself. */
export function isOver({ state }: Told): boolean {
  return state !== 'submitted' && state !== 'working';
}

/** That task, as it stands. An agent that knows no `GetTask` is asked in the words before it. */
export async function look(url: string, id: string): Promise<Told> {
  let reply = await call(url, 'GetTask', id);
  if (reply.error?.code === -32601) reply = await call(url, 'tasks/get', id);
  const { result, error } = reply;
  if (result?.status === undefined)
    return fail(`${url} does not tell of task ${id}: ${String(error?.message ?? 'no task')}`);
  const made = textsOf((result.artifacts ?? []).flatMap((each) => each.parts ?? []));
  // Beside an answer, the words of the status say that it ended; beside a question, the question again.
  const texts = made.length > 0 ? made : textsOf(result.status.message?.parts ?? []);
  const state = String(result.status.state)
    .replace(/^TASK_STATE_/, '')
    .toLowerCase()
    .replaceAll('_', '-');
  return {
    task_id: id,
    context_id: typeof result.contextId === 'string' ? result.contextId : '',
    state,
    ...(texts.length === 0 ? {} : { answer: texts.join('\n') }),
  };
}

function textsOf(parts: readonly Part[]): readonly string[] {
  return parts.map((part) => part.text).filter((text): text is string => typeof text === 'string');
}

async function call(url: string, method: string, id: string): Promise<Reply> {
  const response = await fetch(/^https?:\/\//i.test(url) ? url : `http://${url}/`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(method === 'GetTask' ? { 'a2a-version': '1.0' } : {}),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { id } }),
  });
  const body = await response.text();
  try {
    return JSON.parse(body) as Reply;
  } catch {
    return fail(`${url} answered with HTTP ${response.status} and no JSON`);
  }
}
