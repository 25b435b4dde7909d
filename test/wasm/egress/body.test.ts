import { describe, expect, it } from 'vitest';
import { createEgress } from '../../../src/wasm/egress/index.js';
import type { OpenArgs } from '../../../workers/wasi/http/messages.js';
import { policyOf, runGuest } from './guest.js';
import { listen } from './server.js';

const allow = ['127.0.0.1'];

describe('a request body', () => {
  it('of the promised length arrives; a longer or shorter one fails and never looks complete (reports 13)', async () => {
    await using server = await listen((request, response) => request.resume().once('end', () => response.end('ok')));
    const { value } = await runGuest(
      { allow },
      (kit) => {
        const send = (body: string[]) =>
          kit.fetch({ method: 'POST', url: kit.input.url!, headers: [['content-length', '10']], body });
        return [
          send(['12345', '67890']),
          send(['12345678901']),
          send(['12345', '678901']),
          send(['123456789']),
          send([]),
        ];
      },
      { url: server.url },
    );
    expect(value[0]).toMatchObject({ status: 200, body: 'ok' });
    for (const wrong of value.slice(1)) expect(wrong).toEqual({ error: 'HTTP-request-body-size' });
    expect(server.arrived.map(({ body }) => body)).toEqual(['1234567890']);
    await server.drained();
  });

  it('is refused when several lengths are promised, or none that is a number', async () => {
    await using server = await listen((_, response) => response.end());
    const { value } = await runGuest(
      { allow },
      (kit) =>
        [
          [
            ['content-length', '1'],
            ['content-length', '2'],
          ],
          [['content-length', '+1']],
          [['content-length', '0x1']],
        ].map((headers) =>
          kit.fetch({ method: 'POST', url: kit.input.url!, headers: headers as [string, string][], body: ['1'] }),
        ),
      { url: server.url },
    );
    expect(value).toEqual(Array.from({ length: 3 }, () => ({ error: 'HTTP-protocol-error' })));
    expect(server.connections).toBe(0);
  });

  it('that the guest drops before its end is not sent as if it were whole', async () => {
    await using server = await listen((request, response) => request.resume().once('end', () => response.end()));
    const { value } = await runGuest(
      { allow },
      (kit) => {
        const { Fields, OutgoingRequest } = kit.imports['wasi:http/types'];
        const request = new OutgoingRequest(new Fields());
        request.setMethod({ tag: 'post' });
        request.setScheme({ tag: 'HTTP' });
        request.setAuthority(kit.input.authority);
        const body = request.body();
        const future = kit.imports['wasi:http/outgoing-handler'].handle(request, undefined);
        const stream = body.write();
        stream.blockingWriteAndFlush(new Uint8Array(100_000));
        stream[Symbol.dispose]();
        body[Symbol.dispose]();
        return future.get().val.val.tag as string;
      },
      { authority: `127.0.0.1:${server.port}` },
    );
    expect(value).toBe('connection-terminated');
    expect(server.arrived).toEqual([]);
    await server.drained();
  });

  it('may be written before the request is sent', async () => {
    await using server = await listen((request, response) => request.resume().once('end', () => response.end('ok')));
    await runGuest(
      { allow },
      (kit) => {
        const { Fields, OutgoingBody, OutgoingRequest } = kit.imports['wasi:http/types'];
        const request = new OutgoingRequest(new Fields());
        request.setMethod({ tag: 'post' });
        request.setScheme({ tag: 'HTTP' });
        request.setAuthority(kit.input.authority);
        const body = request.body();
        const stream = body.write();
        const mine = kit.bytes('early');
        stream.write(mine);
        mine.fill(0); // the guest's memory moves on
        stream[Symbol.dispose]();
        OutgoingBody.finish(body, undefined);
        kit.answer(kit.imports['wasi:http/outgoing-handler'].handle(request, undefined));
      },
      { authority: `127.0.0.1:${server.port}` },
    );
    expect(server.arrived[0]).toMatchObject({ body: 'early' });
  });

  it('may still be going out when the answer comes; no wait for a first byte starts after it', async () => {
    await using server = await listen((request, response) => {
      response.write('early');
      request.resume().once('end', () => {
        // Longer than the first-byte timeout after the last byte of the request.
        setTimeout(() => response.end(' late'), 150);
      });
    });
    const { value } = await runGuest(
      { allow, firstByteTimeoutMs: 50 },
      (kit) => {
        const { Fields, OutgoingBody, OutgoingRequest } = kit.imports['wasi:http/types'];
        const request = new OutgoingRequest(new Fields());
        request.setMethod({ tag: 'post' });
        request.setScheme({ tag: 'HTTP' });
        request.setAuthority(kit.input.authority);
        const outgoing = request.body();
        const sink = outgoing.write();
        const future = kit.imports['wasi:http/outgoing-handler'].handle(request, undefined);
        const stream = kit.answer(future).consume().stream();
        const early = kit.text(stream.blockingRead(100n));
        sink.blockingWriteAndFlush(kit.bytes('body'));
        sink[Symbol.dispose]();
        OutgoingBody.finish(outgoing, undefined);
        return [early, kit.text(stream.blockingRead(100n))];
      },
      { authority: `127.0.0.1:${server.port}` },
    );
    expect(value).toEqual(['early', ' late']);
    expect(server.arrived[0]).toMatchObject({ body: 'body', headers: { 'transfer-encoding': 'chunked' } });
  });

  it('is held back while the server does not read', async () => {
    let release = (): void => {};
    await using server = await listen((request, response) => {
      request.pause();
      release = () => request.resume().once('end', () => response.end());
    });
    const egress = createEgress(policyOf({ allow }));
    const open: OpenArgs = {
      method: 'POST',
      scheme: 'http',
      authority: `127.0.0.1:${server.port}`,
      pathWithQuery: '/',
      headers: [],
      hasBody: true,
    };
    const { id } = (await egress.handle('http.open', open)) as { id: number };
    let sent = 0;
    for (;;) {
      const { capacity } = (await egress.handle('http.write', { id, chunk: new Uint8Array(65_536) })) as {
        capacity: number;
      };
      sent += 65_536;
      if (capacity === 0) break;
      await new Promise((resolve) => setImmediate(resolve));
    }
    const blocked = egress.handle('http.capacity', { id, wait: true });
    const early = await Promise.race([
      blocked,
      egress.handle('http.poll', { waits: [{ id, for: 'capacity' }], timeoutMs: 30 }),
    ]);
    expect(early).toEqual([]);
    release();
    expect(((await blocked) as { capacity: number }).capacity).toBeGreaterThan(0);
    expect(await egress.handle('http.finish', { id })).toEqual({ done: true });
    await egress.handle('http.poll', { waits: [{ id, for: 'response' }], timeoutMs: undefined });
    expect(server.arrived[0]!.body).toHaveLength(sent);
    egress.close();
  });
});

describe('a response body', () => {
  it('reaches the guest chunk by chunk as the server sends it', async () => {
    await using server = await listen((request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('data: first\n\n');
      // The second event leaves only when the guest has read the first and says so on another request.
      if (request.url === '/events') waiting = () => response.end('data: second\n\n');
      else {
        waiting();
        response.end();
      }
    });
    let waiting = (): void => {};
    const { value } = await runGuest(
      { allow },
      (kit) => {
        const response = kit.answer(kit.start({ url: `${kit.input.url}/events` }));
        const body = response.consume();
        const stream = body.stream();
        const first = kit.text(stream.blockingRead(1000n));
        const nothing = stream.read(1000n).length;
        kit.fetch({ url: `${kit.input.url}/next` });
        const second = kit.text(stream.blockingRead(1000n));
        return { first, nothing, second };
      },
      { url: server.url },
    );
    expect(value).toEqual({ first: 'data: first\n\n', nothing: 0, second: 'data: second\n\n' });
  });

  it('that ends early is an error, not a short success', async () => {
    await using server = await listen((request, response) => {
      if (request.url === '/length') response.writeHead(200, { 'content-length': '10' });
      response.write('12345');
      setImmediate(() => response.socket?.destroy());
    });
    const { value } = await runGuest(
      { allow },
      (kit) => ['/length', '/chunked'].map((path) => kit.fetch({ url: `${kit.input.url}${path}` })),
      { url: server.url },
    );
    for (const answer of value)
      expect(answer).toMatchObject({ status: 200, body: '12345', error: 'HTTP-response-incomplete' });
  });

  it('longer than the length it announces is a protocol error', async () => {
    await using server = await listen((_, response) => {
      response.socket!.end('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n12345678901');
    });
    const { value } = await runGuest({ allow }, (kit) => kit.fetch({ url: kit.input.url! }), { url: server.url });
    expect(value).toMatchObject({ status: 200, error: 'HTTP-protocol-error' });
    expect(value.body).not.toContain('12345678901');
  });

  it('brings its trailers', async () => {
    await using server = await listen((_, response) => {
      response.writeHead(200, { trailer: 'x-sum' });
      response.write('body');
      response.addTrailers({ 'x-sum': '42' });
      response.end();
    });
    const { value } = await runGuest(
      { allow },
      (kit) => {
        const { IncomingBody } = kit.imports['wasi:http/types'];
        const body = kit.answer(kit.start({ url: kit.input.url! })).consume();
        const stream = body.stream();
        stream.blockingRead(100n);
        try {
          stream.blockingRead(100n);
        } catch {}
        const trailers = IncomingBody.finish(body).get().val.val;
        return trailers.entries().map(([name, data]: [string, Uint8Array]) => [name, kit.text(data)]);
      },
      { url: server.url },
    );
    expect(value).toEqual([['x-sum', '42']]);
  });

  it('pauses a server that is faster than the guest', async () => {
    let written = 0;
    await using server = await listen((_, response) => {
      const more = (): void => {
        while (written < 64 * 1024 * 1024) {
          written += 65_536;
          if (!response.write(Buffer.alloc(65_536))) {
            response.once('drain', more);
            return;
          }
        }
        response.end();
      };
      more();
    });
    const egress = createEgress(policyOf({ allow }));
    const open: OpenArgs = {
      method: 'GET',
      scheme: 'http',
      authority: `127.0.0.1:${server.port}`,
      pathWithQuery: '/',
      headers: [],
      hasBody: false,
    };
    const { id } = (await egress.handle('http.open', open)) as { id: number };
    await egress.handle('http.poll', { waits: [{ id, for: 'body' }], timeoutMs: undefined });
    // Until the server is stopped by the kernel's buffers, nothing having been read.
    for (let last = -1; last !== written; ) {
      last = written;
      await egress.handle('http.poll', { waits: [], timeoutMs: 50 });
    }
    expect(written).toBeLessThan(32 * 1024 * 1024);
    let total = 0;
    for (;;) {
      const reply = (await egress.handle('http.read', { id, maxBytes: 65_536, wait: true })) as { chunk?: Uint8Array };
      if (reply.chunk === undefined) break;
      total += reply.chunk.length;
    }
    expect(total).toBe(64 * 1024 * 1024);
    egress.close();
    await server.drained();
  });

  it('that the guest never reads leaks no socket in a thousand rounds, however it is let go (reports 13)', async () => {
    await using server = await listen((_, response) => response.write('x'.repeat(1000)));
    const { value } = await runGuest(
      { allow },
      (kit) => {
        for (let round = 0; round < 334; round += 1) {
          kit.start({ url: kit.input.url! })[Symbol.dispose]();
          kit.answer(kit.start({ url: kit.input.url! }))[Symbol.dispose]();
          const body = kit.answer(kit.start({ url: kit.input.url! })).consume();
          if (round % 2 === 0) body[Symbol.dispose]();
          else kit.imports['wasi:http/types'].IncomingBody.finish(body);
        }
        // The sixteen left open here end with the call.
        for (let count = 0; count < 16; count += 1) kit.answer(kit.start({ url: kit.input.url! }));
        return 'done';
      },
      { url: server.url },
    );
    expect(value).toBe('done');
    await server.drained();
    expect(server.openSockets).toBe(0);
  });

  it('is not a way to another protocol: an upgrade nobody asked for ends the connection', async () => {
    await using server = await listen((_, response) => {
      response.socket!.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\nraw');
    });
    const { value } = await runGuest({ allow }, (kit) => kit.fetch({ url: kit.input.url! }), { url: server.url });
    expect(value).toEqual({ error: 'HTTP-upgrade-failed' });
    await server.drained();
  });

  it('of one request may be left unread while the next runs to its end (reports 12)', async () => {
    await using server = await listen((request, response) => response.end(`answer to ${request.url}`));
    const { value } = await runGuest(
      { allow },
      (kit) => {
        const unread = kit.answer(kit.start({ url: `${kit.input.url}/one` }));
        const second = kit.fetch({ url: `${kit.input.url}/two` });
        const third = kit.fetch({ url: `${kit.input.url}/three` });
        return [unread.status(), second.body, third.body];
      },
      { url: server.url },
    );
    expect(value).toEqual([200, 'answer to /two', 'answer to /three']);
    await server.drained();
  });
});

describe('waiting', () => {
  it('returns what is ready first: a clock, a response, or the room for more', async () => {
    await using server = await listen(() => {});
    const { value } = await runGuest(
      { allow },
      (kit) => {
        const { poll } = kit.imports['wasi:io/poll'];
        const clock = kit.imports['wasi:clocks/monotonic-clock'];
        const future = kit.start({ url: kit.input.url! });
        const startedAt = kit.nowMs();
        const ready = [...poll([future.subscribe(), clock.subscribeDuration(30_000_000n)])];
        const waitedMs = kit.nowMs() - startedAt;
        const pending = future.get() === undefined;
        return {
          ready,
          pending,
          longEnough: waitedMs >= 29,
          prompt: waitedMs < 1000,
          isReady: future.subscribe().ready(),
        };
      },
      { url: server.url },
    );
    expect(value).toEqual({ ready: [1], pending: true, longEnough: true, prompt: true, isReady: false });
  });

  it('ends when the session closes', async () => {
    await using server = await listen(() => {});
    const egress = createEgress(policyOf({ allow }));
    const open: OpenArgs = {
      method: 'GET',
      scheme: 'http',
      authority: `127.0.0.1:${server.port}`,
      pathWithQuery: '/',
      headers: [],
      hasBody: false,
    };
    const { id } = (await egress.handle('http.open', open)) as { id: number };
    const waits = [
      egress.handle('http.read', { id, maxBytes: 1, wait: true }),
      egress.handle('http.poll', { waits: [{ id, for: 'response' }], timeoutMs: undefined }),
      egress.handle('http.poll', { waits: [], timeoutMs: undefined }),
    ];
    egress.close();
    egress.close();
    expect(await Promise.all(waits)).toEqual([{ error: { tag: 'connection-terminated' } }, [0], []]);
    expect(await egress.handle('http.open', open)).toEqual({ error: { tag: 'connection-limit-reached' } });
    await server.drained();
  });

  it('rejects an operation it does not have', async () => {
    const egress = createEgress(policyOf({}));
    await expect(egress.handle('http.steal', {})).rejects.toThrow("no operation 'http.steal'");
  });
});
