/** Connections of a door: which stay, which end, and who is told. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import type { DoorLimits, DoorOptions, StreamPort } from '../../src/door/index.js';
import { type OpenedDoor, open } from './client.js';

let opened: OpenedDoor | undefined;
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await opened?.door.close();
  opened = undefined;
});

async function door(limits: Partial<DoorLimits> = {}, options: Partial<DoorOptions> = {}): Promise<void> {
  opened = await open({}, { ...options, limits });
}

/** A connection by hand: what it read so far, and waits for more. */
class Line {
  text = '';
  isClosed = false;
  #wake: () => void = () => undefined;

  constructor(readonly socket: Socket) {
    sockets.push(socket);
    const wake = () => this.#wake();
    socket.on('data', (chunk) => {
      this.text += chunk.toString('latin1');
      wake();
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.isClosed = true;
      wake();
    });
  }

  /** Resolves once `is` holds; fails when the connection closes first. */
  async until(is: () => boolean): Promise<void> {
    while (!is()) {
      if (this.isClosed) throw new Error(`the door closed the connection after ${JSON.stringify(this.text)}`);
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  async answers(count: number): Promise<string> {
    await this.until(() => (this.text.match(/HTTP\/1\.1 \d/g) ?? []).length >= count && this.text.endsWith('}'));
    return this.text;
  }

  async closed(): Promise<string> {
    while (!this.isClosed) await new Promise<void>((resolve) => (this.#wake = resolve));
    return this.text;
  }
}

async function line(): Promise<Line> {
  const socket = connect(opened!.door.port, '127.0.0.1');
  const made = new Line(socket);
  await once(socket, 'connect');
  return made;
}

const health = 'GET /health HTTP/1.1\r\nhost: localhost\r\n\r\n';
const ask = (method: string, params: unknown = {}) => {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  return `POST / HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
};
const blockingSend = ask('SendMessage', { message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'x' }] } });

describe('answers that are not taken', () => {
  const text = 'x'.repeat(4 * 1024 * 1024);
  const largeSend = ask('message/send', { message: { messageId: 'm', role: 'user', parts: [{ text }] } });

  it('are held up to a bound over all clients; who left most is cut, everybody else is answered', async () => {
    await door({ untakenBytes: 40 * 1024 * 1024 });
    const sender = await line();
    sender.socket.write(largeSend);
    await sender.answers(1);
    const listing = ask('ListTasks', { historyLength: 1 });
    const [greedy, modest] = [await line(), await line()];
    greedy.socket.pause();
    modest.socket.pause();
    modest.socket.write(listing);
    const cut = once(greedy.socket, 'close');
    greedy.socket.write(listing.repeat(16));
    const other = await line();
    other.socket.write(health);
    await other.answers(1);
    modest.socket.resume();
    expect((await modest.answers(1)).length).toBeGreaterThan(text.length);
    greedy.socket.resume();
    await cut;
    expect(greedy.text.length).toBeLessThan(16 * text.length);
  });
});

describe('after an answer', () => {
  it('the connection serves the next request', async () => {
    await door();
    const kept = await line();
    kept.socket.write(health);
    expect(await kept.answers(1)).toMatch(/\r\nconnection: keep-alive\r\n/i);
    kept.socket.write(ask('GetTask'));
    await kept.answers(2);
    kept.socket.write(health + ask('GetTask') + health);
    const statuses = [...(await kept.answers(5)).matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status);
    expect(statuses).toEqual(['200', '200', '200', '200', '200']);
  });

  it.each([
    ['asked to', 'GET /health HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n'],
    ['asked in HTTP/1.0', 'GET /health HTTP/1.0\r\nhost: localhost\r\n\r\n'],
    [
      'refused before the body was read',
      'POST /x HTTP/1.1\r\nhost: localhost\r\ncontent-length: 5\r\nexpect: 100-continue\r\n\r\n',
    ],
  ])('the connection closes when %s', async (_why, request) => {
    await door();
    const asked = await line();
    asked.socket.write(request);
    expect(await asked.closed()).toMatch(/\r\nconnection: close\r\n/i);
  });

  it('a body that is not wanted ends the connection, and what follows it is never taken for a request', async () => {
    await door({ lingerMs: 100 });
    const asked = await line();
    asked.socket.write(`POST /x HTTP/1.1\r\nhost: localhost\r\ncontent-length: 9999\r\n\r\n${health}`);
    expect((await asked.closed()).match(/HTTP\/1\.1/g)).toHaveLength(1);
  });

  it('that was the last of its connection, nothing more is done for it: neither what came with it nor what comes after', async () => {
    await door();
    const asked = await line();
    asked.socket.write('POST /x HTTP/1.1\r\nhost: localhost\r\ncontent-length: 5\r\n\r\n');
    await asked.until(() => asked.text.includes('404'));
    asked.socket.write(`hello${blockingSend}`);
    setImmediate(() => asked.socket.write(blockingSend));
    expect((await asked.closed()).match(/HTTP\/1\.1/g)).toHaveLength(1);
    expect(opened!.tasks.list()).toEqual([]);
  });
});

describe('a client that does nothing', () => {
  it('is let go between two requests', async () => {
    await door({ idleMs: 100 });
    const idle = await line();
    idle.socket.write(health);
    await idle.closed();
  });

  it('is given no more time for its second request than for its first', async () => {
    await door({ requestMs: 100 });
    const slow = await line();
    slow.socket.write(health);
    await slow.answers(1);
    slow.socket.write('GET /health HTTP/1.1\r\nhost: loc');
    expect(await slow.closed()).toMatch(/HTTP\/1\.1 408 /);
  });

  it('is let go when it never begins', async () => {
    await door({ requestMs: 100 });
    await (await line()).closed();
  });

  it('rests only while there is a place to spare', async () => {
    await door({ connections: 2, idleMs: 60_000 });
    const rested = await line();
    rested.socket.write(health);
    await rested.answers(1);
    const busy = await line();
    await rested.closed();
    busy.socket.write(blockingSend);
    await expect.poll(() => opened!.tasks.list().length).toBe(1);
    const last = await line();
    last.socket.write(health);
    expect(await last.closed()).toMatch(/^HTTP\/1\.1 200 .*\r\nconnection: close\r\n/is);
    expect(busy.isClosed).toBe(false);
  });

  it('is closed without an answer when it is the 257th, and slows nobody', async () => {
    await door();
    const first = await line();
    await Promise.all(Array.from({ length: 255 }, () => line()));
    expect(await (await line()).closed()).toBe('');
    first.socket.write(health);
    expect(await first.answers(1)).toMatch(/^HTTP\/1\.1 200 /);
  });
});

describe('requests of one connection before their answers', () => {
  it('are answered in order, as many as are allowed', async () => {
    await door({ pipelined: 3 });
    const eager = await line();
    eager.socket.write(blockingSend + health + health);
    await expect.poll(() => opened!.tasks.list().length).toBe(1);
    expect(eager.text).toBe('');
    const [task] = opened!.tasks.list();
    opened!.tasks.cancel(task!.taskId);
    expect(await eager.answers(3)).toMatch(/TASK_STATE_CANCELED.*"status":"ok".*"status":"ok"/s);
  });

  it('end the connection when they are more', async () => {
    await door({ pipelined: 3 });
    const greedy = await line();
    greedy.socket.write(blockingSend + health.repeat(3));
    expect(await greedy.closed()).toBe('');
  });

  it('all hear that their client is gone, those too whose turn had not come', async () => {
    const told: string[] = [];
    const streams: StreamPort = {
      open(_request, response) {
        told.push('opened');
        response.on('close', () => told.push('closed'));
        response.writeHead(200);
        response.write('x');
      },
    };
    await door({}, { streams });
    const left = await line();
    left.socket.write(ask('stream/watch').repeat(3));
    await expect.poll(() => told).toEqual(['opened', 'opened', 'opened']);
    left.socket.destroy();
    await expect.poll(() => told.slice(3)).toEqual(['closed', 'closed', 'closed']);
  });
});

describe('a client that takes nothing (cases/reports row 36)', () => {
  /** Writes as much as the socket takes, and again whenever it takes more. */
  function endless(ends: string[]): StreamPort {
    return {
      open(_request, response) {
        response.on('close', () => ends.push('closed'));
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        const fill = () => {
          while (response.write('x'.repeat(64 * 1024)));
        };
        response.on('drain', fill);
        fill();
      },
    };
  }

  it('is let go after a while', async () => {
    const ends: string[] = [];
    await door({ stallMs: 200 }, { streams: endless(ends) });
    const stalled = await line();
    stalled.socket.write(ask('stream/watch'));
    await stalled.until(() => stalled.text.length > 100);
    expect(ends).toEqual([]);
    stalled.socket.pause();
    await expect.poll(() => ends).toEqual(['closed']);
    stalled.socket.resume();
    await stalled.closed();
  });

  it('is kept while there is nothing to take: an answer may be long in coming, a stream quiet', async () => {
    const quiet: StreamPort = {
      open(_request, response) {
        response.writeHead(200);
        response.write('begun');
      },
    };
    await door({ stallMs: 50 }, { streams: quiet });
    const [waiting, watching, idle] = [await line(), await line(), await line()];
    waiting.socket.write(blockingSend);
    watching.socket.write(ask('stream/watch'));
    // A third client is silent for several such whiles: its own time is another.
    for (let at = 1; at <= 20; at++) {
      idle.socket.write(health);
      await idle.answers(at);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    const [task] = opened!.tasks.list();
    opened!.tasks.cancel(task!.taskId);
    expect(await waiting.answers(1)).toContain('TASK_STATE_CANCELED');
    expect(watching.isClosed).toBe(false);
  });
});

describe('a door that closes', () => {
  const patient = { closeMs: 60_000 };

  it('waits for no client that rests or never began', async () => {
    await door(patient);
    const [rested, fresh] = [await line(), await line()];
    rested.socket.write(health);
    await rested.answers(1);
    await opened!.door.close();
    await Promise.all([rested.closed(), fresh.closed()]);
  });

  it('gives the answer that is under way, as the last of its connection', async () => {
    await door(patient);
    const waiting = await line();
    waiting.socket.write(blockingSend);
    await expect.poll(() => opened!.tasks.list().length).toBe(1);
    const closed = opened!.door.close();
    opened!.tasks.cancel(opened!.tasks.list()[0]!.taskId);
    expect(await waiting.closed()).toMatch(/\r\nconnection: close\r\n.*TASK_STATE_CANCELED/is);
    await closed;
  });

  it('lets a slow reader have all of an answer, and a stream its last frame', async () => {
    const long = 'y'.repeat(16 * 1024 * 1024);
    let end: () => void = () => undefined;
    const streams: StreamPort = {
      open(_request, response) {
        response.writeHead(200, { connection: 'keep-alive' });
        response.write(long);
        end = () => response.end('last');
      },
    };
    await door(patient, { streams });
    const slow = await line();
    slow.socket.write(ask('stream/watch'));
    await slow.until(() => slow.text.length > 100);
    slow.socket.pause();
    end();
    const closed = opened!.door.close();
    slow.socket.resume();
    expect((await slow.closed()).length).toBeGreaterThan(long.length);
    expect(slow.text).toContain('last');
    await closed;
  });
});
