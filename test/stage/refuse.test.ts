import { existsSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { hostPlatform } from '../../src/artifacts/index.js';
import { program } from '../artifacts/packed.js';
import { rehearsal } from '../e2e/cli.js';
import { Library } from '../effects/run.js';

let library: Library;
beforeAll(() => {
  library = new Library();
});
afterAll(() => library.close());

/** Folders of the murmur home that a refused launch must not have made. */
function made(): string[] {
  const home = join(library.sandbox.home, '.murmur');
  return ['sessions', 'records', 'running', 'conversations'].filter(
    (name) => existsSync(join(home, name)) && readdirSync(join(home, name)).length > 0,
  );
}

const foreign = hostPlatform() === 'linux-x86_64' ? 'linux-aarch64' : 'linux-x86_64';
const agent = { model: 'rehearsal', driver: { artifact: 'mur-driver-rehearsal' } };
const driver = { name: 'mur-driver-rehearsal', version: '0.1.0', runtime: 'driver' };

test.each<[string, Readonly<Record<string, unknown>>]>([
  ['capabilities.spawn.allow', { capabilities: { spawn: { allow: ['local/a'] } } }],
  ['capabilities.plan.submit', { capabilities: { plan: { submit: true } } }],
  ['capabilities.install', { capabilities: { install: { skill: ['a'] } } }],
  ['capabilities.peer_fetch', { capabilities: { peer_fetch: { allow: ['localhost'] } } }],
  ['context.retain', { context: { retain: { max_messages: 2 } } }],
  ['observability.otel_endpoint', { observability: { otel_endpoint: 'http://127.0.0.1:4318' } }],
  ['inference.max_session_tokens', { inference: { ...agent, max_session_tokens: 1000 } }],
  ['artifacts with runtime: hook', { artifacts: [driver, { name: 'h', version: '1.0.0', runtime: 'hook' }] }],
])('%s is refused by name while nothing serves it, and leaves nothing behind', async (key, more) => {
  const { result } = await library.run(rehearsal([{ say: 'hi' }], more));
  expect(result.error?.code).toBe('E-RUN-907');
  expect(result.error?.message).toContain(key);
  expect(result.error?.hint).toContain('murmur.yaml');
  expect(made()).toEqual([]);
});

test.each<[string, string, { readonly image?: Uint8Array } & Readonly<Record<string, unknown>>]>([
  ['for another platform', 'E-RUN-021', { image: program[foreign] }],
  ['with a gateway', 'E-CAP-017', { gateway: { endpoint: 'https://api.example.com', keyless: true } }],
  ['with settings that are no mapping', 'E-CAP-010', { config: 'text' }],
])(
  'a native tool %s is refused (%s) before anything is compiled or written',
  async (_, code, {
    image,
    ...entry
  }: {
    readonly image?: Uint8Array;
  }) => {
    for (const [name, bytes] of [['good', '#!/bin/sh\n'] as const, ['own', image ?? '#!/bin/sh\n'] as const]) {
      const text = `name: ${name}\nversion: "1.0.0"\nruntime: tool\nimplementation: native\n`;
      library.sandbox.write(`project/${name}/murmur.yaml`, text);
      library.sandbox.write(`project/${name}/bin/${name}`, bytes);
    }
    const [good, own] = ['good', 'own'].map((name) => ({ name, source: `./${name}`, local_source: true }));
    const artifacts = [driver, good, { ...own, ...entry }];
    const { result, notices } = await library.run(rehearsal([{ say: 'hi' }], { artifacts }));
    expect(result.error?.code).toBe(code);
    expect(result.error?.message).toContain('own');
    expect(notices.filter(({ type }) => type === 'component.compiling')).toEqual([]);
    expect(made()).toEqual([]);
  },
);

test.each([
  ['holds it', () => library.sandbox.home],
  ['is it', () => join(library.sandbox.home, '.murmur')],
  ['lies in it', () => join(library.sandbox.home, '.murmur', 'inside')],
  ['leads to it by a link', () => join(library.sandbox.root, 'link')],
])('a work folder that %s: the murmur home is kept apart, and nothing is left behind', async (_, workdir) => {
  mkdirSync(join(library.sandbox.home, '.murmur', 'inside'), { recursive: true });
  if (!existsSync(join(library.sandbox.root, 'link')))
    symlinkSync(library.sandbox.home, join(library.sandbox.root, 'link'));
  const { result } = await library.run(rehearsal([{ say: 'hi' }]), { workdir: workdir() });
  expect(result.error?.code).toBe('E-RUN-908');
  expect(made()).toEqual([]);
});
