import { describe, expect, it } from 'vitest';
import { allScopes, DoorAuth, scopeOf } from '../../../src/door/auth/index.js';

const declared = {
  scheme: 'bearer',
  credentials: [
    { name: 'writer', scopes: ['message/send', 'tasks/get'] },
    { name: 'reader', scopes: ['tasks/get'] },
  ],
} as const;

describe('the tokens of a door', () => {
  it('are the operator first, then the declared credentials by name', () => {
    const auth = new DoorAuth(declared);
    expect(auth.tokens.map(({ name }) => name)).toEqual(['operator', 'reader', 'writer']);
    expect(Object.keys(auth.credentials)).toEqual(['reader', 'writer']);
    expect(auth.operator.reveal()).toMatch(/^mdt1\./);
  });

  it('reach what was declared, and the operator everything', () => {
    const auth = new DoorAuth(declared);
    const scopes = auth.tokens.map(({ token }) => [...auth.callerOf(token.reveal())!.scopes]);
    expect(scopes).toEqual([allScopes, ['tasks/get'], ['message/send', 'tasks/get']]);
  });

  it('exist when the manifest declares no credential: the operator has one', () => {
    expect(new DoorAuth({ scheme: 'bearer', credentials: [] }).tokens).toHaveLength(1);
  });

  it('of another launch of the same capsule do not open this door', () => {
    const other = new DoorAuth(declared);
    expect(new DoorAuth(declared).callerOf(other.operator.reveal())).toBeUndefined();
  });

  it('are all revoked by erasing the key', () => {
    const auth = new DoorAuth(declared);
    auth.erase();
    for (const { token } of auth.tokens) expect(auth.callerOf(token.reveal())).toBeUndefined();
  });

  it('are worthless with a scope nobody here knows', () => {
    const auth = new DoorAuth({
      scheme: 'bearer',
      credentials: [{ name: 'later', scopes: ['tasks/get', 'tasks/rewind'] }],
    });
    expect(auth.callerOf(auth.credentials.later!.reveal())).toBeUndefined();
  });
});

describe('the scope of a method', () => {
  it.each([
    ['SendMessage', 'message/send'],
    ['message/send', 'message/send'],
    ['SendStreamingMessage', 'message/stream'],
    ['SubscribeToTask', 'message/stream'],
    ['tasks/resubscribe', 'message/stream'],
    ['stream/watch', 'stream/watch'],
    ['GetTask', 'tasks/get'],
    ['ListTasks', 'tasks/get'],
    ['CancelTask', 'tasks/cancel'],
    ['session/stop', 'session/stop'],
    ['GetExtendedAgentCard', undefined],
    ['agent/getAuthenticatedExtendedCard', undefined],
    ['constructor', undefined],
    ['sendmessage', undefined],
  ])('%s needs %s', (method, scope) => {
    expect(scopeOf(method)).toBe(scope);
  });
});
