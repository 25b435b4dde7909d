import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { buildCard } from '../../src/door/card.js';
import { readCard } from '../../src/peer/card.js';

const jsonRpc = (protocolVersion: string, url = 'http://localhost:1/') => ({
  url,
  protocolBinding: 'JSONRPC',
  protocolVersion,
});
const read = (card: unknown) => readCard(JSON.stringify(card));

describe('the card of a peer', () => {
  test.each([
    ['1.0', { supportedInterfaces: [jsonRpc('1.0')] }, 'v1'],
    ['1.0 behind 0.3', { supportedInterfaces: [jsonRpc('0.3'), jsonRpc('1.0')] }, 'v1'],
    ['1.1', { supportedInterfaces: [jsonRpc('1.1')] }, 'v1'],
    [
      '1.0 over another binding alone',
      { supportedInterfaces: [{ ...jsonRpc('1.0'), protocolBinding: 'GRPC' }] },
      'murmur',
    ],
    ['10.0', { supportedInterfaces: [jsonRpc('10.0')] }, 'murmur'],
    ['a later Murmur door', { supportedInterfaces: [jsonRpc('0.3')] }, 'murmur'],
    ['A2A 0.3', { protocolVersion: '0.3.0', url: 'http://localhost:1/', preferredTransport: 'JSONRPC' }, 'murmur'],
    ['Murmur 0.4', { url: 'localhost:4000', session_id: 'ses_1', serves: { methods: ['message/send'] } }, 'murmur'],
    ['no card', ['what'], 'murmur'],
  ] as const)('of %s', (_what, card, dialect) => {
    expect(read(card).dialect).toBe(dialect);
  });

  test('of our own door asks for 1.0', () => {
    const methods = { v1: [], v03: [], mur: [], all: [] };
    const input = { sessionId: 's', name: 'n', version: '1', acceptance: 'queue' as const, tools: [] };
    const facts = { ...input, shell: false, network: false, acceptsPeerTasks: true };
    const card = buildCard(facts, { port: 1, methods, isAuthenticated: false });
    expect(read(card)).toEqual({ dialect: 'v1', path: '/' });
  });

  test('gives a path, and never a host', () => {
    const elsewhere = 'http://169.254.169.254/agents/a2a?key=1';
    expect(read({ supportedInterfaces: [jsonRpc('1.0', elsewhere)] })).toEqual({
      dialect: 'v1',
      path: '/agents/a2a?key=1',
    });
    expect(read({ protocolVersion: '0.3.0', url: elsewhere })).toEqual({
      dialect: 'murmur',
      path: '/agents/a2a?key=1',
    });
    expect(read({ protocolVersion: '0.3.0', url: elsewhere, preferredTransport: 'GRPC' })).toEqual({
      dialect: 'murmur',
    });
    for (const url of ['javascript:alert(1)', 'x', 5, null, `http://a/${'p'.repeat(3000)}`])
      expect(read({ supportedInterfaces: [jsonRpc('1.0', url as string)] })).toEqual({ dialect: 'v1' });
  });

  test('may be anything: it is read, and a path is one', () => {
    const key = fc.constantFrom('supportedInterfaces', 'url', 'protocolBinding', 'protocolVersion', 'x');
    const tree = fc.letrec((tie) => ({
      any: fc.oneof(fc.jsonValue(), fc.array(tie('any')), fc.dictionary(key, tie('any'))),
    })).any;
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          tree.map((value) => JSON.stringify(value)),
        ),
        (text) => {
          const { dialect, path } = readCard(text);
          expect(['v1', 'murmur']).toContain(dialect);
          expect(path ?? '/').toMatch(/^\//);
        },
      ),
    );
  });
});
