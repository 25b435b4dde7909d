/** Requests no honest client sends, by the number: what a fuzzer throws at a door. A seed brings them back. Not a test. */
import type { Random } from '../../soak/random.js';

/** What goes onto one connection: pieces in order, each a packet of its own as far as that can be asked for. */
export interface Attack {
  /** For the report of a failure. */
  readonly kind: string;
  readonly pieces: readonly Buffer[];
  /** The client leaves right behind its last piece and reads nothing. */
  readonly leaves: boolean;
}

const methods = [
  ...[
    'message/send',
    'message/stream',
    'stream/watch',
    'tasks/get',
    'tasks/cancel',
    'tasks/resubscribe',
    'session/stop',
  ],
  ...['SendMessage', 'SendStreamingMessage', 'GetTask', 'ListTasks', 'CancelTask', 'SubscribeToTask'],
  ...['GetExtendedAgentCard', 'agent/getAuthenticatedExtendedCard', 'tasks/pushNotificationConfig/set'],
  ...[
    'CreateTaskPushNotificationConfig',
    'murmur:message/send',
    '__proto__',
    'constructor',
    'toString',
    '',
    'sendmessage',
  ],
];

const paths = [
  ...[
    '/',
    '',
    '//',
    '/?',
    '/?x=%zz',
    '/health',
    '/.well-known/agent-card.json',
    '/.well-known/agent.json',
    '*',
    '/%00',
  ],
  ...[
    '/control',
    '/control/x',
    '/resources/files',
    '/resources/files/../../etc/passwd',
    '/resources/peer/h',
    '/ui',
    '/inspect',
  ],
  ...[
    '/message:send',
    '/message:stream',
    '/v1/message:send',
    '/v1/message:stream',
    '/tasks',
    '/tasks?pageSize=-1',
    '/v1/tasks',
  ],
  ...[
    '/tasks/tsk_x',
    '/tasks/%',
    '/tasks/%ff:cancel',
    '/tasks/__proto__',
    '/tasks/x:subscribe',
    '/tasks/x:',
    '/tasks//',
  ],
  ...[
    '/tasks?pageToken=%F0%9F',
    '/tasks?pageSize=1&pageSize=2',
    '/tasks/x?historyLength=1e9',
    '/extendedAgentCard',
    '/v1/card',
  ],
  ...[
    'http://evil.example/',
    `/${'a'.repeat(6_000)}`,
    '/tasks/x/pushNotificationConfigs',
    '/tasks/x/pushNotificationConfigs/y',
  ],
];

const verbs = [
  'GET',
  'POST',
  'POST',
  'POST',
  'PUT',
  'DELETE',
  'HEAD',
  'OPTIONS',
  'PATCH',
  'TRACE',
  'CONNECT',
  'PRI',
  'get',
  'M-SEARCH',
];

const texts = [
  '',
  'x',
  '\u0000',
  '\ud800',
  '\udfff\ud800',
  '\u202e\u2066',
  '\ufeff',
  '𝕳',
  'a\r\nb: c',
  '"\\',
  '-1',
  'null',
  '__proto__',
];

export class Attacks {
  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
  }

  next(): Attack {
    const { kind, bytes } = this.#one();
    return { kind, pieces: this.#split(bytes), leaves: this.#chance(0.05) };
  }

  #one(): { kind: string; bytes: Buffer } {
    const makers = {
      'a broken request in whole HTTP': () => this.#http(this.#body()),
      'a broken body': () => this.#http(this.#brokenBody(this.#body())),
      'lies about its length': () => this.#lying(),
      'bad chunks': () => this.#chunked(),
      'odd headers': () => this.#http(this.#body(), this.#headers()),
      'another path': () => this.#elsewhere(),
      'a broken request to a route': () => this.#routed(),
      'several at once': () => this.#pipeline(),
      'broken HTTP': () => this.#damage(this.#http(this.#body(), this.#headers())),
      'no HTTP': () => this.#noise(),
    };
    const kind = this.#random.pick(Object.keys(makers) as (keyof typeof makers)[]);
    return { kind, bytes: makers[kind]() };
  }

  // Bodies.

  #body(): Buffer {
    return Buffer.from(this.#json(this.#request()));
  }

  #request(): unknown {
    const request: Record<string, unknown> = {
      jsonrpc: this.#chance(0.85) ? '2.0' : this.#value(1),
      id: this.#chance(0.5) ? this.#random.between(0, 99) : this.#value(1),
      method: this.#chance(0.9) ? this.#random.pick(methods) : this.#value(1),
      params: this.#chance(0.85) ? this.#params() : this.#value(2),
    };
    for (const key of Object.keys(request)) if (this.#chance(0.04)) delete request[key];
    if (this.#chance(0.05)) return this.#random.pick<unknown>([[request, request], [], [request], null, 7, 'x']);
    return request;
  }

  #params(): unknown {
    const params: Record<string, unknown> = {};
    const maybe = (name: string, make: () => unknown, often = 0.3) => {
      if (this.#chance(often)) params[name] = this.#chance(0.7) ? make() : this.#value(2);
    };
    maybe('message', () => this.#message(), 0.7);
    maybe('configuration', () => ({
      blocking: this.#value(0),
      returnImmediately: this.#value(0),
      historyLength: this.#value(0),
      pushNotificationConfig: this.#value(2),
    }));
    maybe('id', () => this.#random.pick(texts));
    maybe('historyLength', () => this.#random.between(-2, 5));
    maybe('pageSize', () => this.#random.between(-2, 200));
    maybe('pageToken', () => Buffer.from(`${this.#random.between(0, 9)} tsk_x`).toString('base64url'));
    maybe('statusTimestampAfter', () =>
      this.#random.pick(['2024-01-01T00:00:00Z', '9999-99-99T99:99:99Z', '+275760-09-13T00:00:00Z']),
    );
    maybe('status', () => this.#random.pick(['TASK_STATE_WORKING', 'UNRECOGNIZED', '']));
    maybe('metadata', () => this.#value(3), 0.1);
    return params;
  }

  #message(): unknown {
    const message: Record<string, unknown> = {
      messageId: this.#random.pick(['m', this.#value(0)]),
      role: this.#random.pick(['user', 'ROLE_USER', this.#value(0)]),
      parts: this.#chance(0.85)
        ? Array.from({ length: this.#random.between(0, 3) }, () => this.#part())
        : this.#value(2),
    };
    if (this.#chance(0.3)) message.kind = this.#random.pick(['message', this.#value(1)]);
    for (const name of ['taskId', 'contextId'])
      if (this.#chance(0.3)) message[name] = this.#random.pick([...texts, this.#value(1)]);
    if (this.#chance(0.2))
      message.referenceTaskIds = this.#random.pick([['a', 'b'], Array(40).fill('x'), this.#value(2)]);
    return message;
  }

  #part(): unknown {
    const part: Record<string, unknown> = {};
    for (const name of ['text', 'data', 'raw', 'url', 'file', 'kind', 'mediaType', 'filename'])
      if (this.#chance(name === 'text' ? 0.6 : 0.2)) part[name] = this.#value(2);
    if (this.#chance(0.5)) part.kind = this.#random.pick(['text', 'data', 'file']);
    return this.#chance(0.9) ? part : this.#value(1);
  }

  #value(depth: number): unknown {
    const leaves: (() => unknown)[] = [
      () => this.#random.pick(texts),
      () => this.#random.pick([0, -1, 1.5, 1e308, -0, Number.MAX_SAFE_INTEGER + 2, 2 ** 64]),
      () => this.#random.pick([null, true, false]),
      () => 'x'.repeat(this.#random.between(0, 300)),
    ];
    if (depth === 0 || this.#chance(0.5)) return this.#random.pick(leaves)();
    if (this.#chance(0.5)) return Array.from({ length: this.#random.between(0, 3) }, () => this.#value(depth - 1));
    const keys = ['a', '__proto__', 'constructor', 'prototype', 'toJSON', 'hasOwnProperty', 'length', '0', 'then'];
    return Object.fromEntries(
      Array.from({ length: this.#random.between(0, 3) }, () => [this.#random.pick(keys), this.#value(depth - 1)]),
    );
  }

  /** JSON.stringify writes `__proto__` keys, but no number beyond a double, no deep nesting and no key twice. */
  #json(value: unknown): string {
    let text = JSON.stringify(value);
    if (this.#chance(0.06))
      text = text.replace(
        /:(?:\d+|null|true)/,
        () => `:${this.#random.pick(['1e999', '-1e999', '1'.repeat(400), '0.1e-400', '[[1]]'])}`,
      );
    if (this.#chance(0.06))
      text = text.replace(
        '{',
        () => `{${this.#random.pick(['"id":1,', '"method":"tasks/get",', '"__proto__":{"id":1},', '"params":{},'])}`,
      );
    if (this.#chance(0.04)) text = text.replace(/:(?:\{\}|null|true|"x?")/, () => `:${this.#nested()}`);
    return text;
  }

  #nested(): string {
    const depth = this.#random.pick([200, 300, 5_000, 40_000]);
    return this.#chance(0.5) ? '['.repeat(depth) + ']'.repeat(depth) : `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
  }

  #brokenBody(body: Buffer): Buffer {
    const at = this.#random.between(0, body.length);
    const cut = () => body.subarray(0, at);
    const junk = () => Buffer.concat([body.subarray(0, at), this.#bytes(8), body.subarray(at)]);
    const breaks: (() => Buffer)[] = [
      cut,
      junk,
      () => Buffer.concat([Buffer.from('\ufeff'), body]),
      () => Buffer.concat([body, body]),
      () => Buffer.from(body.toString(), 'utf16le'),
      () => Buffer.concat([body.subarray(0, at), Buffer.from([0xc3, 0x28, 0xed, 0xa0, 0x80]), body.subarray(at)]),
      () => Buffer.from(this.#nested()),
      () => Buffer.from(`"${'x'.repeat(this.#random.between(0, 100_000))}`),
      () => Buffer.alloc(this.#random.between(0, 3)),
    ];
    return this.#random.pick(breaks)();
  }

  // HTTP around them.

  #http(body: Buffer, headers: readonly string[] = [], start = 'POST / HTTP/1.1'): Buffer {
    const all = ['host: localhost', ...headers];
    if (!headers.some((line) => /^content-type/i.test(line)) && this.#chance(0.97))
      all.push('content-type: application/json');
    if (!headers.some((line) => /^(content-length|transfer-encoding)/i.test(line)))
      all.push(`content-length: ${body.length}`);
    return Buffer.concat([Buffer.from(`${[start, ...all].join('\r\n')}\r\n\r\n`, 'latin1'), body]);
  }

  #headers(): string[] {
    const some: (() => string)[] = [
      () =>
        `a2a-version: ${this.#random.pick(['1.0', '0.3', '9', '', '1.0, 0.3', '１.0', '1.0.0.0', 'x'.repeat(999)])}`,
      () => `accept: ${this.#random.pick(['text/event-stream', '*/*', '', 'text/event-stream;q=0', ','.repeat(500)])}`,
      () => `last-event-id: ${this.#random.pick(['0', '-1', '1e3', '9'.repeat(300), 'x', '٣', ' 5 '])}`,
      () =>
        `content-type: ${this.#random.pick(['application/json', 'application/json;;;', 'text/plain', 'APPLICATION/JSON', 'multipart/form-data', ''])}`,
      () =>
        `x-murmur-task-origin: ${this.#random.pick(['peer', 'completion', 'user', 'PEER', 'peer, completion', ''])}`,
      () =>
        `x-murmur-${this.#random.pick(['task-trust', 'delegation-id', 'completion-session', 'forget-session', 'audience'])}: ${this.#random.pick(['true', 'trusted', 'x'])}`,
      () =>
        `authorization: ${this.#random.pick(['Bearer x', 'Bearer', 'Basic eDp5', 'Bearer mdt1.a.b', `Bearer ${'.'.repeat(999)}`])}`,
      () =>
        `host: ${this.#random.pick(['localhost', 'evil.example', '', '[::1', 'localhost:99999', 'a b', '127.0.0.1, x'])}`,
      () => `origin: ${this.#random.pick(['null', 'http://evil.example', 'http://localhost', '', 'x'])}`,
      () => `expect: ${this.#random.pick(['100-continue', '100-Continue', 'x', ''])}`,
      () =>
        `content-length: ${this.#random.pick(['0', '-1', '5', '1e3', '0x10', '99999999999999999999', '5, 5', ' 7', '٣', '8388609'])}`,
      () =>
        `transfer-encoding: ${this.#random.pick(['chunked', 'gzip', 'chunked, chunked', 'identity', 'xchunked', 'gzip, chunked', ''])}`,
      () => `connection: ${this.#random.pick(['close', 'keep-alive', 'upgrade', 'x', 'close, keep-alive'])}`,
      () => `upgrade: ${this.#random.pick(['websocket', 'h2c', 'x'])}`,
      () =>
        `traceparent: ${this.#random.pick(['00-0-0-0', `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`, 'x'.repeat(2_000)])}`,
      () =>
        `a2a-extensions: ${this.#random.pick(['https://docs.murmur.nexus/reference/streaming-protocol/#murmur-stream-v1', ','.repeat(99), '\u00ff'])}`,
      () => `x-${'a'.repeat(this.#random.between(1, 40))}: ${'b'.repeat(this.#random.pick([1, 100, 17_000]))}`,
      () =>
        this.#random.pick([
          ': x',
          'x',
          'x:\u0000',
          'x y: z',
          ' folded: y',
          'x: a\n b',
          'Transfer-Encoding : chunked',
          '\u00e9: x',
        ]),
    ];
    return Array.from({ length: this.#random.between(1, 5) }, () => this.#random.pick(some)());
  }

  #lying(): Buffer {
    const body = this.#body();
    const length = Math.max(0, body.length + this.#random.pick([-body.length, -9, -1, 1, 9, 10_000, 9_000_000]));
    return this.#http(body, [
      `content-length: ${length}`,
      ...(this.#chance(0.2) ? ['transfer-encoding: chunked'] : []),
    ]);
  }

  #chunked(): Buffer {
    const body = this.#body();
    const chunks: string[] = [];
    for (let at = 0; at < body.length; ) {
      const size = this.#random.between(1, 200);
      const piece = body.subarray(at, at + size).toString('latin1');
      const named = this.#chance(0.9)
        ? piece.length.toString(16)
        : this.#random.pick(['-1', 'zz', 'ffffffffffffffffff', '0x5', '', ' 3 ', '1']);
      const extension = this.#chance(0.05) ? `;${'e'.repeat(this.#random.pick([3, 20_000]))}=x` : '';
      chunks.push(`${named}${extension}${this.#random.pick(['\r\n', '\r\n', '\r\n', '\n'])}${piece}\r\n`);
      at += size;
    }
    const end = this.#random.pick([
      '0\r\n\r\n',
      '0\r\n\r\n',
      '',
      '0\r\nx: y\r\n\r\n',
      '0\r\ncontent-length: 5\r\n\r\n',
      '0',
      `0\r\n${'t: x\r\n'.repeat(2_000)}\r\n`,
    ]);
    return this.#http(Buffer.from(chunks.join('') + end, 'latin1'), ['transfer-encoding: chunked']);
  }

  #elsewhere(): Buffer {
    const start = `${this.#random.pick(verbs)} ${this.#random.pick(paths)} ${this.#random.pick(['HTTP/1.1', 'HTTP/1.1', 'HTTP/1.1', 'HTTP/1.0', 'HTTP/2.0', 'http/1.1'])}`;
    return this.#http(
      this.#chance(0.5) ? this.#restBody() : Buffer.alloc(0),
      this.#chance(0.3) ? this.#headers() : [],
      start,
    );
  }

  /** A verb that the path has, with anything in path, query and body. */
  #routed(): Buffer {
    const id = encodeURIComponent(this.#random.pick([...texts, 'tsk_x', 'x'.repeat(500)]).replace(/\p{Cs}/gu, '?'));
    const query = this.#random.pick([
      '',
      '',
      `?historyLength=${id}`,
      `?pageSize=${id}&pageToken=${id}`,
      '?status=x&contextId=%00',
      `?${id}`,
    ]);
    const route = this.#random.pick([
      'POST /message:send',
      'POST /message:stream',
      `GET /tasks/${id}`,
      'GET /tasks',
      `POST /tasks/${id}:cancel`,
      `GET /tasks/${id}:subscribe`,
      `POST /tasks/${id}/pushNotificationConfigs`,
      `DELETE /tasks/${id}/pushNotificationConfigs/${id}`,
      'GET /extendedAgentCard',
    ]);
    const body = route.startsWith('POST') ? this.#restBody() : Buffer.alloc(0);
    return this.#http(body, this.#chance(0.3) ? this.#headers() : [], `${route}${query} HTTP/1.1`);
  }

  #restBody(): Buffer {
    const body = Buffer.from(this.#json(this.#params()));
    return this.#chance(0.2) ? this.#brokenBody(body) : body;
  }

  #pipeline(): Buffer {
    return Buffer.concat(
      Array.from({ length: this.#random.between(2, 6) }, () =>
        this.#chance(0.7) ? this.#http(this.#body()) : this.#elsewhere(),
      ),
    );
  }

  #damage(bytes: Buffer): Buffer {
    const damaged = Buffer.from(bytes);
    for (let times = this.#random.between(1, 4); times > 0; times--) {
      damaged[this.#random.between(0, Math.min(damaged.length, 160) - 1)] = this.#random.between(0, 255);
    }
    return this.#chance(0.3) ? damaged.subarray(0, this.#random.between(1, damaged.length)) : damaged;
  }

  #noise(): Buffer {
    const tls = Buffer.from([0x16, 3, 1, 0, 0xa5, 1, 0, 0, 0xa1, 3, 3]);
    const fixed = [
      'GET /\r\n',
      '\r\n\r\n\r\n',
      'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
      'HTTP/1.1 200 OK\r\n\r\n',
      'a'.repeat(20_000),
    ].map((text) => Buffer.from(text));
    return this.#random.pick([this.#bytes(400), Buffer.concat([tls, this.#bytes(200)]), ...fixed]);
  }

  #bytes(most: number): Buffer {
    return Buffer.from(Array.from({ length: this.#random.between(1, most) }, () => this.#random.between(0, 255)));
  }

  #split(bytes: Buffer): Buffer[] {
    if (this.#chance(0.7)) return [bytes];
    const pieces: Buffer[] = [];
    // The first bytes one by one, as the slowest of clients, then by the handful.
    const step = this.#random.pick([1, 1, 7, 100]);
    let at = 0;
    for (; at < bytes.length && pieces.length < 40; at += step) pieces.push(bytes.subarray(at, at + step));
    if (at < bytes.length) pieces.push(bytes.subarray(at));
    return pieces;
  }

  #chance(of: number): boolean {
    return this.#random.next() < of;
  }
}
