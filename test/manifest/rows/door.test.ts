import { describe, expect, test } from 'vitest';
import { capsule } from '../support.js';
import { outcome, rows } from './support.js';

describe('section 7, the door', () => {
  const door = (keys: string) => capsule(`network: { ${keys} }`);
  const credential = (scopes: string) =>
    `authentication: { scheme: bearer, credentials: { a: { scopes: ${scopes} } } }`;
  rows(
    '7',
    [
      ['internal_port: 65535', 'accepted'],
      ['internal_port: 65536', 'E-MAN-003 network.internal_port'],
      ['internal_port: -1', 'E-MAN-003 network.internal_port'],
      ['authentication: {}', 'E-MAN-003 network.authentication.scheme'],
      ['authentication: { scheme: bearer }', 'accepted'],
      ['authentication: { scheme: Bearer }', 'E-MAN-003 network.authentication.scheme'],
      [credential('[message/send, message/stream, stream/watch, tasks/get]'), 'accepted'],
      [credential('[tasks/cancel, session/stop, resources/files]'), 'accepted'],
      [credential('[]'), 'E-MAN-003 network.authentication.credentials.a.scopes'],
      [credential('[tasks/get, tasks/get]'), 'E-MAN-003 network.authentication.credentials.a.scopes'],
      [credential('[tasks/delete]'), 'E-MAN-003 network.authentication.credentials.a.scopes[0]'],
      [credential('[toString]'), 'E-MAN-003 network.authentication.credentials.a.scopes[0]'],
      [
        'authentication: { scheme: bearer, credentials: { a: {} } }',
        'E-MAN-003 network.authentication.credentials.a.scopes',
      ],
    ],
    door,
  );

  test('7 an authenticated door and delegation exclude each other, and an empty spawn list is none', () => {
    const text = (allow: string) =>
      capsule(`capabilities: { spawn: { allow: ${allow} } }\nnetwork: { authentication: { scheme: bearer } }`);
    expect(outcome(text('[a]'))).toBe('E-MAN-003 network.authentication');
    expect(outcome(text('[]'))).toBe('accepted');
  });
});
