import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { Secret } from '../../../src/errors/index.js';
import { type GatewayRoute, guestEndpoint } from '../../../src/wasm/egress/index.js';
import type { Loose } from '../../fixtures/provider/answer.js';
import {
  type Answer,
  awkward,
  everyByte,
  type ProviderServer,
  type Split,
  startAnthropic,
  startOpenAi,
} from '../../fixtures/provider/index.js';
import { request, tools, user } from '../driver/turn.js';
import { openArtifacts } from './host.js';

const key = 'sk-live-0123456789';
const placeholder = 'mur-key-00000000000000000000000000000000';

const host = openArtifacts();
afterAll(() => host[Symbol.asyncDispose]());
let server: ProviderServer | undefined;
afterEach(async () => {
  await server?.stop();
  server = undefined;
});

const drivers = {
  anthropic: {
    name: 'mur-driver-anthropic',
    model: 'claude-sonnet-4-5',
    start: startAnthropic,
    auth: { header: 'x-api-key', value: '{key}' },
  },
  chat: {
    name: 'mur-driver-openai',
    model: 'gpt-4o',
    start: startOpenAi,
    auth: { header: 'Authorization', value: 'Bearer {key}' },
  },
  responses: {
    name: 'mur-driver-openai',
    model: 'gpt-5',
    start: startOpenAi,
    auth: { header: 'Authorization', value: 'Bearer {key}' },
  },
} as const;

describe.each(Object.keys(drivers) as (keyof typeof drivers)[])('the %s driver', (which) => {
  const { name, model, start, auth } = drivers[which];

  async function open(split: Split, ...answers: Answer[]): Promise<GatewayRoute> {
    server = await start({ apiKey: key, split, lineEnd: '\r\n', answers });
    const upstream = new URL(server.url);
    const secret = new Secret(key);
    const credential = { source: 'environment', current: () => secret, reread: () => secret } as const;
    return { endpointPath: upstream.pathname, upstream, auth, placeholder, credential };
  }

  const call = (gateway: GatewayRoute, messages: readonly object[]) =>
    host.call(name, request(model, messages, { tools, system: 'Be brief.' }), {
      gateway,
      env: { MURMUR_INFERENCE_ENDPOINT: guestEndpoint(gateway), MURMUR_INFERENCE_API_KEY: placeholder },
    });

  test.each([
    ['awkward places', awkward],
    ['every byte', everyByte],
  ])('completes a tool-use turn with the stream split at %s', async (_, split) => {
    const input = { path: 'é😀.txt' };
    const gateway = await open(
      split,
      { thinking: 'hm →', text: 'Löökïng 😀', calls: [{ id: 'c_1', name: 'files', input }] },
      { text: 'Döne.' },
    );
    const first = await call(gateway, [user('Read it. 😀')]);
    expect(first).toMatchObject({ status: 'returned', result: { status: 'passed' } });
    const response: Loose = JSON.parse((first as Loose).result.data);
    expect(response.stop_reason).toBe('tool_call');
    expect(response.content.slice(1)).toEqual([
      { type: 'text', text: 'Löökïng 😀' },
      { type: 'tool_call', id: 'c_1', name: 'files', input },
    ]);
    const text = first.events.flatMap((event) => (event.type === 'chunk' ? [event.text] : [])).join('');
    expect(text).toBe('Löökïng 😀');
    expect(first.events).toContainEqual({ type: 'tool-call-started', id: 'c_1', name: 'files' });

    const result = {
      role: 'tool',
      tool_call_id: 'c_1',
      is_error: false,
      content: [{ type: 'text', text: 'inhalt ✓' }],
    };
    const second = await call(gateway, [user('Read it. 😀'), { role: 'assistant', content: response.content }, result]);
    expect(JSON.parse((second as Loose).result.data)).toMatchObject({
      stop_reason: 'end_turn',
      content: [{ text: 'Döne.' }],
    });
    expect(JSON.stringify(server?.requests[1]?.body)).toContain('inhalt ✓');
  });

  test('lets the provider see the key, and nothing else see it', async () => {
    const gateway = await open(awkward, { text: 'ok' });
    const outcome = await call(gateway, [user('hi')]);
    const header = server?.requests[0]?.headers[auth.header.toLowerCase()];
    expect(header).toBe(auth.value.replace('{key}', key));
    expect(JSON.stringify(server?.requests[0]?.headers)).not.toContain(placeholder);
    expect(JSON.stringify(outcome)).not.toContain(key);
  });

  test('sends a body of many writes whole', async () => {
    const gateway = await open(awkward, { text: 'ok' });
    const long = 'ä😀'.repeat(60_000);
    expect(await call(gateway, [user(long)])).toMatchObject({ status: 'returned', result: { status: 'passed' } });
    expect(JSON.stringify(server?.requests[0]?.body)).toContain(long);
  });

  test('reports a refusal of the provider with its status and text', async () => {
    const gateway = await open(awkward, { kind: 'refusal', status: 429, message: 'slow down' });
    const outcome = await call(gateway, [user('hi')]);
    expect(outcome).toMatchObject({
      status: 'returned',
      result: { status: 'error', summary: expect.stringMatching(/^HTTP 429: .*slow down/) },
    });
  });

  test('reports a stream that breaks off', async () => {
    const gateway = await open(awkward, { text: 'half', endAfter: 2 });
    const outcome = await call(gateway, [user('hi')]);
    expect(outcome).toMatchObject({
      result: { status: 'error', summary: expect.stringContaining('without a stop signal') },
    });
  });

  test('reports a provider that is not there', async () => {
    const gateway = await open(awkward);
    await server?.stop();
    const outcome = await call(gateway, [user('hi')]);
    expect(outcome).toMatchObject({
      status: 'returned',
      result: { status: 'error', summary: expect.stringMatching(/^POST .* failed: .*connection-refused/) },
    });
  });

  test('reports a destination it may not reach', async () => {
    const outcome = await host.call(name, request(model, [user('hi')]), {
      env: { MURMUR_INFERENCE_ENDPOINT: 'http://203.0.113.1/v1' },
    });
    expect(outcome).toMatchObject({
      status: 'returned',
      result: { status: 'error', summary: expect.stringContaining('HTTP-request-denied') },
    });
  });
});
