import { describe, expect, it } from 'vitest';
import { buildCard, buildExtendedCards, type CardInput } from '../../src/door/card.js';
import { servedMethods } from '../../src/door/dialects/index.js';
import type { TaskAcceptance } from '../../src/task/index.js';
import { TaskRegistry } from '../../src/task/index.js';
import { cardInput, http, open, portOf, rpc, sessionId } from './client.js';

const tasks = portOf(new TaskRegistry({ acceptance: 'queue', queueDepth: 1, now: () => 0 }));

interface Variant {
  readonly acceptance?: TaskAcceptance;
  readonly isAuthenticated?: boolean;
  readonly hasStreams?: boolean;
}

const doorOf = ({ acceptance = 'queue', isAuthenticated = false, hasStreams = true }: Variant) => ({
  port: 4242,
  methods: servedMethods({ acceptance, tasks, hasStreams, isAuthenticated }),
  isAuthenticated,
});
// biome-ignore lint/suspicious/noExplicitAny: a card is read freely in tests
const build = (variant: Variant = {}, change: Partial<CardInput> = {}): any =>
  buildCard({ ...cardInput, acceptance: variant.acceptance ?? 'queue', ...change }, doorOf(variant));
// biome-ignore lint/suspicious/noExplicitAny: a card is read freely in tests
const extension = (card: any, anchor: string) =>
  card.capabilities.extensions.find(({ uri }: { uri: string }) => uri.endsWith(`#${anchor}`));

describe('the card of a public door (spec/door.md 3.3)', () => {
  it('answers a liveness probe of either age with the session', () => {
    const card = build();
    expect([card.session_id, extension(card, 'murmur-capsule-v1').params.sessionId]).toEqual([sessionId, sessionId]);
  });

  it('carries what A2A 1.0 readers need', () => {
    expect(build()).toMatchObject({
      name: 'demo',
      version: '0.1.0',
      description: 'Murmur capsule demo 0.1.0',
      supportedInterfaces: [
        { url: 'http://localhost:4242', protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
        { url: 'http://localhost:4242', protocolBinding: 'JSONRPC', protocolVersion: '0.3' },
        { url: 'http://localhost:4242', protocolBinding: 'HTTP+JSON', protocolVersion: '1.0' },
      ],
      capabilities: { streaming: true, pushNotifications: false, extendedAgentCard: false },
      securitySchemes: {},
      securityRequirements: [],
      defaultInputModes: ['text/plain', 'application/json'],
    });
  });

  it('carries what A2A 0.3 readers need', () => {
    expect(build()).toMatchObject({
      protocolVersion: '0.3.0',
      url: 'http://localhost:4242',
      preferredTransport: 'JSONRPC',
      additionalInterfaces: [{ transport: 'JSONRPC', url: 'http://localhost:4242' }],
      supportsAuthenticatedExtendedCard: false,
      security: [],
      skills: [{ id: 'task', name: 'Run a task', tags: ['task'] }],
    });
  });

  it('carries what Murmur readers need', () => {
    expect(build()).toMatchObject({
      serves: {
        methods: ['message/send', 'message/stream', 'stream/watch', 'tasks/get', 'tasks/cancel', 'session/stop'],
        planes: [],
      },
      capabilities: { tools: ['mur-tool-files'], shell: false, network: true, cancellation: true },
    });
  });

  it('names its extensions in order: door, capsule, stream', () => {
    const uris = build().capabilities.extensions.map(({ uri }: { uri: string }) => uri.replace(/^.*#/, ''));
    expect(uris).toEqual(['murmur-door-v1', 'murmur-capsule-v1', 'murmur-stream-v1']);
  });

  it('lists the 1.0 names first, then the older ones, each once', () => {
    expect(extension(build(), 'murmur-door-v1').params.methods).toEqual([
      ...['SendMessage', 'SendStreamingMessage', 'GetTask', 'ListTasks', 'CancelTask', 'SubscribeToTask'],
      ...['message/send', 'message/stream', 'stream/watch', 'tasks/get', 'tasks/cancel', 'session/stop'],
      'tasks/resubscribe',
    ]);
  });

  it('offers no skill and no start method when it takes no tasks', () => {
    const card = build({ acceptance: 'none' });
    expect(card.skills).toEqual([]);
    expect(card.capabilities.streaming).toBe(false);
    expect(card.serves.methods).toEqual(['stream/watch', 'tasks/get', 'tasks/cancel', 'session/stop']);
  });

  it('tells of no stream where none is served', () => {
    const card = build({ hasStreams: false });
    expect(card.capabilities.streaming).toBe(false);
    expect(extension(card, 'murmur-stream-v1')).toBeUndefined();
    expect(JSON.stringify(card)).not.toMatch(/stream\/watch|SubscribeToTask|resubscribe/);
  });
});

describe('the cards of an authenticated door (spec/door.md 3.3, 3.4)', () => {
  const card = build({ isAuthenticated: true });

  it('say in public nothing of the session and its tools', () => {
    expect(JSON.stringify(card)).not.toMatch(new RegExp(`${sessionId}|mur-tool-files|planes|"shell"|"network"`));
    expect(card).not.toHaveProperty('session_id');
    expect(card).not.toHaveProperty('serves');
    expect(extension(card, 'murmur-capsule-v1')).toBeUndefined();
  });

  it('say in public how to be let in, to readers of either age', () => {
    expect(card).toMatchObject({
      capabilities: { extendedAgentCard: true },
      supportsAuthenticatedExtendedCard: true,
      securitySchemes: { bearer: { type: 'http', scheme: 'Bearer', httpAuthSecurityScheme: { scheme: 'Bearer' } } },
      securityRequirements: [{ schemes: { bearer: { list: [] } } }],
      security: [{ bearer: [] }],
      skills: [
        {
          securityRequirements: [
            { schemes: { bearer: { list: ['SendMessage'] } } },
            { schemes: { bearer: { list: ['SendStreamingMessage'] } } },
          ],
          security: [{ bearer: ['message/send'] }, { bearer: ['message/stream'] }],
        },
      ],
    });
    expect(extension(card, 'murmur-door-v1').params.methods).toEqual(
      expect.arrayContaining(['GetExtendedAgentCard', 'agent/getAuthenticatedExtendedCard']),
    );
  });

  it('say behind the lock what the public one holds back', () => {
    // biome-ignore lint/suspicious/noExplicitAny: a card is read freely in tests
    const { v1, v03 } = buildExtendedCards(cardInput, doorOf({ isAuthenticated: true })) as any;
    const { capabilities, ...rest } = v1;
    const { capabilities: _public, ...publicRest } = card;
    expect(rest).toEqual(publicRest);
    const anchors = capabilities.extensions.map(({ uri }: { uri: string }) => uri.replace(/^.*#/, ''));
    expect(anchors).toEqual(['murmur-door-v1', 'murmur-capsule-v1', 'murmur-stream-v1']);
    expect(extension(v03, 'murmur-capsule-v1').params).toMatchObject({ sessionId, tools: ['mur-tool-files'] });
    expect(v03).toMatchObject({
      protocolVersion: '0.3.0',
      url: 'http://localhost:4242',
      preferredTransport: 'JSONRPC',
      additionalInterfaces: [{ transport: 'JSONRPC', url: 'http://localhost:4242' }],
      supportsAuthenticatedExtendedCard: true,
      securitySchemes: { bearer: { type: 'http', scheme: 'Bearer' } },
      security: [{ bearer: [] }],
      skills: [{ security: [{ bearer: ['message/send'] }, { bearer: ['message/stream'] }] }],
    });
    expect(v03.capabilities).not.toHaveProperty('extendedAgentCard');
    expect(v03).not.toHaveProperty('supportedInterfaces');
  });
});

describe('every card', () => {
  it.each([
    { acceptance: 'none' },
    { acceptance: 'single' },
    { acceptance: 'queue' },
    { isAuthenticated: true },
    { isAuthenticated: true, acceptance: 'none' },
  ] as Variant[])('%j holds no word that reads like a secret and no address but localhost', (variant) => {
    expect(JSON.stringify(build(variant))).not.toMatch(
      /token|secret|credential|password|127\.0\.0\.1|\b10\.|192\.168/i,
    );
  });

  it('lists exactly the methods the door answers with more than a refusal', async () => {
    const always = ['PushNotificationConfig', 'ExtendedAgentCard', 'getAuthenticatedExtendedCard'];
    const known = servedMethods({ acceptance: 'queue', tasks, hasStreams: true, isAuthenticated: true }).all;
    for (const acceptance of ['none', 'queue'] as const) {
      const { door, tasks: held } = await open({ acceptance });
      try {
        const card = JSON.parse((await http(door.port, { path: '/.well-known/agent-card.json' })).text);
        const answered: string[] = [];
        for (const method of known) {
          if (always.some((word) => method.includes(word))) continue;
          if ((await rpc(door.port, method)).error?.code !== -32601) answered.push(method);
        }
        expect(extension(card, 'murmur-door-v1').params.methods).toEqual(answered);
        expect(card.serves.methods).toEqual(
          answered.filter((method) => method.includes('/') && method !== 'tasks/resubscribe'),
        );
        expect(held.list()).toEqual([]);
      } finally {
        await door.close();
      }
    }
  });
});
