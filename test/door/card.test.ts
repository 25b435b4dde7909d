import { describe, expect, it } from 'vitest';
import { buildCard, type CardInput } from '../../src/door/card.js';
import { cardInput, http, open, portOf, rpc, sessionId } from './client.js';

// biome-ignore lint/suspicious/noExplicitAny: a card is read freely in tests
const build = (change: Partial<CardInput> = {}, methods = ['message/send', 'tasks/get']): any =>
  buildCard({ ...cardInput, ...change }, 4242, methods);

describe('the card', () => {
  it('answers a liveness probe of either age with the session', () => {
    const card = build();
    const capsule = card.capabilities.extensions.find(({ uri }: { uri: string }) => uri.endsWith('#murmur-capsule-v1'));
    expect([card.session_id, capsule.params.sessionId]).toEqual([sessionId, sessionId]);
  });

  it('carries what A2A 1.0 readers need', () => {
    expect(build()).toMatchObject({
      name: 'demo',
      version: '0.1.0',
      description: 'Murmur capsule demo 0.1.0',
      supportedInterfaces: [
        { url: 'http://localhost:4242', protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
        { url: 'http://localhost:4242', protocolBinding: 'JSONRPC', protocolVersion: '0.3' },
      ],
      capabilities: { streaming: false, pushNotifications: false, extendedAgentCard: false },
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
      supportsAuthenticatedExtendedCard: false,
      security: [],
      skills: [{ id: 'task', name: 'Run a task', tags: ['task'] }],
    });
  });

  it('carries what Murmur readers need', () => {
    expect(build()).toMatchObject({
      serves: { methods: ['message/send', 'tasks/get'], planes: [] },
      capabilities: { tools: ['mur-tool-files'], shell: false, network: true, cancellation: true },
    });
  });

  it('offers no skill when it takes no tasks', () => {
    expect(build({ acceptance: 'none' }).skills).toEqual([]);
  });

  it('holds no word that reads like a secret and no address but localhost', () => {
    expect(JSON.stringify(build())).not.toMatch(/token|secret|credential|password|127\.0\.0\.1|\b10\.|192\.168/i);
  });

  it('lists exactly the methods the door answers with something other than -32601', async () => {
    for (const acceptance of ['none', 'queue'] as const) {
      const { door, tasks } = await open({ acceptance });
      try {
        const card = JSON.parse((await http(door.port, { path: '/.well-known/agent-card.json' })).text);
        const known = ['message/send', 'message/stream', 'stream/watch', 'tasks/get', 'tasks/cancel', 'session/stop'];
        const answered: string[] = [];
        for (const method of known) {
          if ((await rpc(door.port, method)).error?.code !== -32601) answered.push(method);
        }
        expect(card.serves.methods).toEqual(answered);
        expect(card.capabilities.extensions[0].params.methods).toEqual(answered);
        expect(portOf(tasks).get()).toBeUndefined();
      } finally {
        await door.close();
      }
    }
  });
});
