import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { connect } from 'node:net';
import { type CardInput, type Door, type DoorOptions, openDoor, type TaskPort } from '../../src/door/index.js';
import { systemClock } from '../../src/supervise/clock.js';
import { pageOf, settled, TaskRegistry, type TaskRegistryOptions, type TaskSnapshot } from '../../src/task/index.js';

export const sessionId = 'ses_0199c4e2f1b7712a9d3e4f5061728394';

export const cardInput: CardInput = {
  sessionId,
  name: 'demo',
  version: '0.1.0',
  acceptance: 'queue',
  tools: ['mur-tool-files'],
  shell: false,
  network: true,
  acceptsPeerTasks: false,
};

/** The port over a registry, wired the way a session wires it. */
export function portOf(tasks: TaskRegistry): TaskPort {
  const must = (reply: ReturnType<TaskRegistry['enqueue']>): TaskSnapshot => {
    if (!reply.ok) throw new Error(reply.reason);
    return reply.task;
  };
  return {
    send: (request) => must(tasks.enqueue(request)),
    waiting: () => tasks.waitingTaskId,
    reply(taskId, text, messageId) {
      const reply = tasks.deliverInput(taskId, text, messageId);
      return reply.ok ? reply.task : undefined;
    },
    followUp(taskId, message) {
      const reply = tasks.followUp(taskId, message);
      return reply.ok ? reply.task : undefined;
    },
    history: (taskId) => tasks.history(taskId),
    list: (filter, page) => pageOf(tasks.list(), filter, page),
    settled: (taskId, told) => settled(tasks, taskId, told),
    get: (taskId) => tasks.get(taskId),
    cancel(taskId) {
      const reply = tasks.cancel(taskId);
      return reply.ok ? { task: reply.task, residue: [] } : undefined;
    },
    stop() {
      const live = tasks.list().filter((task) => ['submitted', 'working', 'input-required'].includes(task.state));
      for (const task of live) tasks.cancel(task.taskId);
      return { canceled: live.map((task) => task.taskId), residue: [] };
    },
  };
}

export interface OpenedDoor {
  readonly door: Door;
  readonly tasks: TaskRegistry;
}

export async function open(
  registry: Partial<TaskRegistryOptions> = {},
  options: Partial<DoorOptions> = {},
): Promise<OpenedDoor> {
  const tasks = new TaskRegistry({ acceptance: 'queue', queueDepth: 4, now: Date.now, ...registry });
  const card = { ...cardInput, acceptance: registry.acceptance ?? 'queue' };
  const limits = { lingerMs: 500, closeMs: 200, ...options.limits };
  const door = await openDoor({
    bindAddr: '127.0.0.1',
    card,
    tasks: portOf(tasks),
    clock: systemClock,
    ...options,
    limits,
  });
  return { door, tasks };
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

export interface HttpQuestion {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string | Buffer;
}

export async function http(port: number, question: HttpQuestion = {}): Promise<HttpAnswer> {
  const { method = 'GET', path = '/', headers = {}, body } = question;
  return new Promise((resolve, reject) => {
    const request = httpRequest({ host: '127.0.0.1', port, method, path, headers, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        resolve({ status: response.statusCode!, headers: response.headers, text });
      });
    });
    request.on('error', reject);
    request.end(body);
  });
}

export async function post(
  port: number,
  body: string | Buffer,
  headers: Record<string, string> = {},
): Promise<HttpAnswer> {
  return http(port, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body });
}

/** The JSON-RPC reply to `method`. */
export async function rpc(
  port: number,
  method: string,
  params?: unknown,
  headers: Record<string, string> = {},
  // biome-ignore lint/suspicious/noExplicitAny: replies are read freely in tests
): Promise<any> {
  const answer = await post(port, JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }), headers);
  return JSON.parse(answer.text);
}

export function message(text: string, extra: Record<string, unknown> = {}): Record<string, unknown> {
  return { message: { messageId: 'm1', role: 'user', parts: [{ text }], ...extra } };
}

/** Everything the door writes for these raw bytes, until it closes the connection. */
export async function raw(port: number, bytes: string | Uint8Array, endAfter = true): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
    });
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNRESET' || error.code === 'EPIPE') resolve(text);
      else reject(error);
    });
    socket.on('close', () => resolve(text));
    socket.write(bytes);
    if (endAfter) socket.end();
  });
}
