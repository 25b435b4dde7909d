import { describe, expect, it } from 'vitest';
import { Secret } from '../../../src/errors/index.js';
import { type CredentialSource, type GatewayRoute, guestEndpoint } from '../../../src/wasm/egress/index.js';
import { runGuest } from './guest.js';
import { listen } from './server.js';

const key = 'sk-live-0123456789';
const placeholder = `mur-key-${'ab'.repeat(16)}`;

/** A source that holds `keys` in turn: the first now, the next after each re-read that has one. */
function keysInTurn(...keys: (string | undefined)[]): CredentialSource & { readonly rereads: number } {
  let at = 0;
  let rereads = 0;
  const secret = () => (keys[at] === undefined ? undefined : new Secret(keys[at]!));
  return {
    source: 'config',
    current: secret,
    reread: () => {
      rereads += 1;
      at = Math.min(at + 1, keys.length - 1);
      return secret();
    },
    get rereads() {
      return rereads;
    },
  };
}

function route(url: string, more: Partial<GatewayRoute> = {}): GatewayRoute {
  return {
    endpointPath: '/v1',
    upstream: new URL(`${url}/v1`),
    auth: { header: 'x-api-key', value: '{key}' },
    credential: keysInTurn(key),
    ...more,
  };
}

const ok = () =>
  listen((request, response) => {
    request.resume().once('end', () => response.end('ok'));
  });

describe('the address of a gateway', () => {
  it('is where nothing listens, with the path of the endpoint and no trailing slash (S10)', () => {
    expect(guestEndpoint(route('https://h.example'))).toBe('http://127.0.0.1:9/v1');
    expect(guestEndpoint(route('https://h.example', { endpointPath: '/v1/' }))).toBe('http://127.0.0.1:9/v1');
    expect(guestEndpoint(route('https://h.example', { endpointPath: '/' }))).toBe('http://127.0.0.1:9');
  });

  it.each([
    'https://127.0.0.1:9/v1',
    'http://127.0.0.1:90/v1',
    'http://localhost:9/v1',
    'http://127.0.0.1.:9/v1',
    'http://[::1]:9/v1',
  ])('is not %s: that is an ordinary request (S11)', async (url) => {
    await using server = await ok();
    const { value } = await runGuest({ gateways: [route(server.url)] }, (kit) => kit.fetch({ url: kit.input.url! }), {
      url,
    });
    expect(value).toEqual({ error: 'HTTP-request-denied' });
    expect(server.connections).toBe(0);
  });

  it('means nothing to a session without the gateway', async () => {
    const { value } = await runGuest({}, (kit) => kit.fetch({ url: 'http://127.0.0.1:9/v1' }));
    expect(value).toEqual({ error: 'HTTP-request-denied' });
  });

  it('of several gateways means the one whose path the request lies under', async () => {
    await using one = await ok();
    await using two = await ok();
    const gateways = [route(one.url, { endpointPath: '/v1' }), route(two.url, { endpointPath: '/v1/beta' })];
    await runGuest({ gateways }, (kit) => {
      for (const path of ['/v1/a', '/v1/beta/b', '/v1/betamax']) kit.fetch({ url: `http://127.0.0.1:9${path}` });
    });
    expect(one.arrived.map(({ url }) => url)).toEqual(['/v1/a', '/v1/betamax']);
    expect(two.arrived.map(({ url }) => url)).toEqual(['/v1/beta/b']);
  });
});

describe('a request to a gateway', () => {
  it('goes to the upstream with its own path and query, and exactly one header with the key (S08)', async () => {
    await using server = await ok();
    const { value, events, crossed } = await runGuest({ gateways: [route(server.url)] }, (kit) =>
      kit.fetch({
        method: 'POST',
        url: 'http://127.0.0.1:9/v1/messages?x=1',
        headers: [
          ['X-API-KEY', 'forged'],
          ['x-api-key', 'forged too'],
          ['x-murmur-session', 'forged'],
          ['anthropic-version', '2023-06-01'],
        ],
        body: ['{"a":', '1}'],
      }),
    );
    expect(value).toMatchObject({ status: 200, body: 'ok' });
    const [seen] = server.arrived;
    expect(seen).toMatchObject({ method: 'POST', url: '/v1/messages?x=1', body: '{"a":1}' });
    expect(seen!.rawHeaders.filter((_, index) => index % 2 === 0)).toEqual([
      'host',
      'anthropic-version',
      'x-api-key',
      'content-length',
      'Connection',
    ]);
    expect(seen!.headers).toMatchObject({ host: `127.0.0.1:${server.port}`, 'x-api-key': key });
    expect(events).toEqual([
      { type: 'gateway.credential-accepted', endpointPath: '/v1' },
      { type: 'gateway.responded', endpointPath: '/v1', status: 200 },
    ]);
    // S18: what the worker was told and what the session hears hold no key.
    expect(crossed).not.toContain(key);
    expect(JSON.stringify(events)).not.toContain(key);
  });

  it('carries the rendered value (S09), and a key with replacement patterns in it unchanged', async () => {
    await using server = await ok();
    const odd = 'k$&y$1$$';
    const auth = { header: 'Authorization', value: 'Bearer {key}' };
    await runGuest(
      { gateways: [route(server.url, { auth, credential: keysInTurn(odd), placeholder })] },
      (kit) => {
        kit.fetch({ url: 'http://127.0.0.1:9/v1/chat', headers: [['x-other', kit.input.placeholder!]] });
      },
      { placeholder },
    );
    expect(server.arrived[0]!.headers).toMatchObject({ authorization: `Bearer ${odd}`, 'x-other': odd });
  });

  it('loses the header when there is no key', async () => {
    await using server = await ok();
    const credential: CredentialSource = { source: 'keyless', current: () => undefined, reread: () => undefined };
    await runGuest({ gateways: [route(server.url, { credential })] }, (kit) =>
      kit.fetch({ url: 'http://127.0.0.1:9/v1', headers: [['x-api-key', 'forged']] }),
    );
    expect(server.arrived[0]!.headers['x-api-key']).toBeUndefined();
  });

  it('has the placeholder of an older driver replaced in headers, toward the upstream alone, and not in the body (S21)', async () => {
    await using server = await ok();
    await using other = await ok();
    const gateway: GatewayRoute = {
      endpointPath: '/v1',
      upstream: new URL(`${server.url}/v1`),
      placeholder,
      credential: keysInTurn(key),
    };
    const { crossed } = await runGuest(
      { allow: ['127.0.0.1'], gateways: [gateway] },
      (kit) => {
        for (const url of ['http://127.0.0.1:9/v1/chat', kit.input.other!]) {
          kit.fetch({
            method: 'POST',
            url,
            headers: [['authorization', `Bearer ${kit.input.placeholder}`]],
            body: [kit.input.placeholder!],
          });
        }
      },
      { placeholder, other: other.url },
    );
    expect(server.arrived[0]).toMatchObject({ headers: { authorization: `Bearer ${key}` }, body: placeholder });
    expect(other.arrived[0]).toMatchObject({ headers: { authorization: `Bearer ${placeholder}` }, body: placeholder });
    expect(crossed).not.toContain(key);
  });

  it('needs no allow rule and may go to a private address: the operator named it', async () => {
    await using server = await ok();
    const upstream = new URL(`http://provider.test:${server.port}/v1`);
    const resolve = async () => [{ address: '127.0.0.1', family: 4 as const }];
    const { value } = await runGuest({ gateways: [{ ...route(server.url), upstream }], resolve }, (kit) =>
      kit.fetch({ url: 'http://127.0.0.1:9/v1' }),
    );
    expect(value.status).toBe(200);
    expect(server.arrived[0]!.headers.host).toBe(`provider.test:${server.port}`);
  });

  it('is refused while its meter admits nothing (S19)', async () => {
    await using server = await ok();
    const { value, events } = await runGuest({ gateways: [route(server.url, { isOpen: () => false })] }, (kit) =>
      kit.fetch({ url: 'http://127.0.0.1:9/v1' }),
    );
    expect(value).toEqual({ error: 'HTTP-request-denied' });
    expect(events).toMatchObject([{ type: 'egress.denied', reason: 'no-admission' }]);
    expect(server.connections).toBe(0);
  });

  it('gets a redirect back, and the key does not follow it (S12)', async () => {
    await using elsewhere = await ok();
    await using server = await listen((_, response) => response.writeHead(307, { location: elsewhere.url }).end());
    const { value, events } = await runGuest({ gateways: [route(server.url)] }, (kit) =>
      kit.fetch({ method: 'POST', url: 'http://127.0.0.1:9/v1', body: ['x'] }),
    );
    expect(value.status).toBe(307);
    expect(elsewhere.connections).toBe(0);
    expect(events).toContainEqual({ type: 'egress.redirected', target: `127.0.0.1:${server.port}`, status: 307 });
  });

  it('streams its answer as it comes', async () => {
    await using server = await listen((request, response) => {
      if (request.url === '/v1/go') {
        response.end();
        finish();
        return;
      }
      request.resume();
      response.write('data: 1\n\n');
      finish = () => response.end('data: 2\n\n');
    });
    let finish = (): void => {};
    const { value } = await runGuest({ gateways: [route(server.url)] }, (kit) => {
      const stream = kit
        .answer(kit.start({ method: 'POST', url: 'http://127.0.0.1:9/v1/stream', body: ['{}'] }))
        .consume()
        .stream();
      const first = kit.text(stream.blockingRead(100n));
      kit.fetch({ url: 'http://127.0.0.1:9/v1/go' });
      return [first, kit.text(stream.blockingRead(100n))];
    });
    expect(value).toEqual(['data: 1\n\n', 'data: 2\n\n']);
  });

  it('with a body past what is kept for a resend is refused', async () => {
    await using server = await ok();
    const { value } = await runGuest({ gateways: [route(server.url)] }, (kit) =>
      kit.fetch({
        method: 'POST',
        url: 'http://127.0.0.1:9/v1',
        body: Array.from({ length: 33 }, () => 'x'.repeat(1024 * 1024)),
      }),
    );
    expect(value).toEqual({ error: 'HTTP-request-body-size' });
    expect(server.arrived).toEqual([]);
  });

  it('with a key that is no header value fails without saying it', async () => {
    await using server = await ok();
    const { value, crossed } = await runGuest(
      { gateways: [route(server.url, { credential: keysInTurn('bad\r\nkey') })] },
      (kit) => kit.fetch({ url: 'http://127.0.0.1:9/v1' }),
    );
    expect(value).toEqual({ error: 'configuration-error' });
    expect(crossed).not.toContain('bad');
  });
});

describe('a key that the upstream refuses', () => {
  const accepting = (good: string) =>
    listen((request, response) => {
      request.resume().once('end', () => {
        response.writeHead(request.headers['x-api-key'] === good ? 200 : 401).end('answer');
      });
    });
  const post = (server: { url: string }, credential: CredentialSource) =>
    runGuest({ gateways: [route(server.url, { credential })] }, (kit) =>
      kit.fetch({ method: 'POST', url: 'http://127.0.0.1:9/v1', body: ['same ', 'bytes'] }),
    );

  it('is read again, and a changed one sends the same bytes once more (S13)', async () => {
    await using server = await accepting('new');
    const { value, events } = await post(server, keysInTurn('old', 'new'));
    expect(value).toMatchObject({ status: 200, body: 'answer' });
    expect(server.arrived.map(({ headers, body }) => [headers['x-api-key'], body])).toEqual([
      ['old', 'same bytes'],
      ['new', 'same bytes'],
    ]);
    expect(events.map(({ type }) => type)).toEqual(['gateway.credential-accepted', 'gateway.responded']);
    await server.drained();
  });

  it('is not sent again when it is still the same: the guest gets the 401 (S14)', async () => {
    await using server = await accepting('good');
    const source = keysInTurn('old');
    const { value, events } = await post(server, source);
    expect(value).toMatchObject({ status: 401, body: 'answer' });
    expect(server.arrived).toHaveLength(1);
    expect(source.rereads).toBe(1);
    expect(events).toEqual([
      { type: 'gateway.credential-rejected', endpointPath: '/v1', source: 'config', retried: false },
      { type: 'gateway.responded', endpointPath: '/v1', status: 401 },
    ]);
  });

  it('is sent at most twice, whatever the second answer is', async () => {
    await using server = await accepting('good');
    const { value, events } = await post(server, keysInTurn('one', 'two', 'three'));
    expect(value.status).toBe(401);
    expect(server.arrived.map(({ headers }) => headers['x-api-key'])).toEqual(['one', 'two']);
    expect(events[0]).toEqual({
      type: 'gateway.credential-rejected',
      endpointPath: '/v1',
      source: 'config',
      retried: true,
    });
  });

  it('keeps the answer when it cannot be read again', async () => {
    await using server = await accepting('good');
    const { value } = await post(server, keysInTurn('old', undefined));
    expect(value.status).toBe(401);
  });
});
