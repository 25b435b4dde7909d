import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readContract } from '../../src/wasm/contract.js';
import { linkError, startsPrograms } from '../../src/wasm/index.js';
import type { GuestKind } from '../../workers/protocol.js';
import { component, coreModule } from '../fixtures/component/build.js';
import { build, guests, watOf } from '../fixtures/component/guests.js';
import { shellGuest } from '../fixtures/component/shell-guest.js';
import { failureOf, openHost, type TestHost } from './host.js';

let host: TestHost;
beforeAll(async () => {
  host = await openHost();
});
afterAll(async () => {
  await host[Symbol.asyncDispose]();
});

/** What the host says about bytes used as `kind`. */
async function problem(bytes: Uint8Array, kind: GuestKind) {
  return linkError(readContract('x', bytes), kind, 'x');
}

describe('the contract in a component', () => {
  it('has every import and export with its version', async () => {
    const { imports, exports } = readContract('x', await build(guests.capsule));
    expect(imports).toEqual([
      { package: 'murmur:tool', name: 'run', version: '0.1.0' },
      { package: 'murmur:tool-registry', name: 'invoke', version: '0.1.0' },
    ]);
    expect(exports).toEqual([{ package: 'murmur:capsule', name: 'run', version: '0.1.0' }]);
  });

  it('is not in a core module', async () => {
    const bytes = await coreModule('(module)');
    expect(() => readContract('x', bytes)).toThrow(
      'artifact "x" is not a usable WebAssembly component: it is a core module',
    );
  });

  it.each([
    ['nothing', new Uint8Array()],
    ['text', Buffer.from('#!/bin/sh\n')],
    ['another format version', Uint8Array.of(0, 0x61, 0x73, 0x6d, 0x0e, 0, 1, 0)],
  ])('is not in %s', (_what, bytes) => {
    expect(() => readContract('x', bytes)).toThrow('is not a usable WebAssembly component');
  });

  it('is read or refused, whatever bytes are damaged', async () => {
    const bytes = await build(guests.events);
    fc.assert(
      fc.property(fc.nat(bytes.length - 1), fc.nat(255), fc.nat(bytes.length), (at, value, length) => {
        const damaged = bytes.slice(0, length);
        if (at < damaged.length) damaged[at] = value;
        try {
          readContract('x', damaged);
        } catch (error) {
          expect((error as { code: string }).code).toBe('E-RUN-001');
        }
      }),
    );
  });
});

describe('linking', () => {
  it('accepts the worlds of both levels', async () => {
    expect(await problem(await build(guests.echo), 'tool')).toBeUndefined();
    expect(await problem(await build(guests.chunks), 'driver')).toBeUndefined();
    expect(await problem(await build(guests.events), 'driver')).toBeUndefined();
    expect(await problem(await build(guests.capsule), 'capsule')).toBeUndefined();
    expect(await problem(await build(guests.print), 'tool')).toBeUndefined();
  });

  it('lets tools and script capsules send to other capsules, and no driver', async () => {
    const sending = { imports: ['send'], run: '' } as const;
    expect(await problem(await build(sending), 'tool')).toBeUndefined();
    expect(await problem(await build({ ...sending, kind: 'capsule' }), 'capsule')).toBeUndefined();
    expect((await problem(await build(sending), 'driver'))?.message).toContain(
      'imports murmur:message/send@0.1.0, which no driver may import',
    );
  });

  it('lets tools and script capsules start programs, and no driver', async () => {
    const asking = await build(shellGuest('tool', [{ binary: 'git' }]));
    expect(await problem(asking, 'tool')).toBeUndefined();
    expect(await problem(await build(shellGuest('capsule', [{ binary: 'git' }])), 'capsule')).toBeUndefined();
    const refused = await problem(asking, 'driver');
    expect(refused?.code).toBe('E-RUN-029');
    expect(refused?.message).toContain('imports murmur:shell/execute@0.1.0, which no driver may import');
    expect(startsPrograms(readContract('x', asking))).toBe(true);
    expect(startsPrograms(readContract('x', await build(guests.echo)))).toBe(false);
  });

  const other = (from: string, to: string) => (wit: string) => wit.replaceAll(from, to);

  it('refuses an export at a version this host does not serve, and says what to do', async () => {
    const bytes = await component({
      exports: ['murmur:tool/run'],
      wat: watOf(guests.echo).replace('tool/run@0.1.0', 'tool/run@0.9.0'),
      witEdit: (wit) => other('tool/run@0.1.0', 'tool/run@0.9.0')(other('tool@0.1.0', 'tool@0.9.0')(wit)),
    });
    const error = await problem(bytes, 'tool');
    expect(error?.code).toBe('E-RUN-001');
    expect(error?.message).toBe(
      'tool "x" exports murmur:tool/run@0.9.0, but this host serves murmur:tool/run at 0.1.0',
    );
    expect(error?.hint).toBe('pin a matching release of the artifact, or rebuild it');
    expect((await problem(bytes, 'driver'))?.code).toBe('E-RUN-029');
  });

  it('refuses an import at a version this host does not serve', async () => {
    const bytes = await component({
      exports: ['murmur:tool/run'],
      imports: ['murmur:text/chunks'],
      wat: watOf(guests.chunks).replaceAll('chunks@0.1.0', 'chunks@0.2.0'),
      witEdit: (wit) => other('chunks@0.1.0', 'chunks@0.2.0')(other('text@0.1.0', 'text@0.2.0')(wit)),
    });
    expect((await problem(bytes, 'tool'))?.message).toContain(
      'imports murmur:text/chunks@0.2.0, but this host serves murmur:text/chunks at 0.1.0',
    );
  });

  it('refuses an interface without a version', async () => {
    const bytes = await component({
      exports: ['murmur:tool/run'],
      imports: ['murmur:task/task'],
      wat: watOf(guests.ask).replaceAll('task/task@0.1.0', 'task/task'),
      witEdit: (wit) => other('task/task@0.1.0', 'task/task')(other('murmur:task@0.1.0', 'murmur:task')(wit)),
    });
    expect((await problem(bytes, 'tool'))?.message).toContain('imports murmur:task/task, but');
  });

  it.each([
    ['a tool that invokes tools', 'capsule', 'tool'],
    ['a capsule that streams', 'chunks', 'capsule'],
  ] as const)('refuses %s', async (_what, guest, kind) => {
    const bytes = await build(guests[guest]);
    expect(await problem(bytes, kind)).toBeDefined();
  });

  it('refuses an interface it does not know, by name', async () => {
    const bytes = await component({
      exports: ['murmur:tool/run'],
      imports: ['murmur:process/process'],
      wat: watOf({
        ...guests.echo,
        fields: '(func $unused)',
      }).replace('(module', '(module (import "murmur:process/process@0.1.0" "spawn" (func (param i32 i32)))'),
    });
    const error = await problem(bytes, 'tool');
    expect(error?.code).toBe('E-RUN-002');
    expect(error?.message).toContain(
      'imports murmur:process/process@0.1.0, which this host does not serve, because its functions are not published; a tool starts programs through murmur:shell/execute@0.1.0',
    );
    expect((await problem(bytes, 'driver'))?.code).toBe('E-RUN-029');
  });

  it('refuses a WASI other than 0.2', async () => {
    const bytes = await component({
      exports: ['murmur:tool/run'],
      imports: ['wasi:cli/exit'],
      wat: watOf(guests.exit).replaceAll('exit@0.2.6', 'exit@0.4.0'),
      witEdit: (wit) => other('exit@0.2.6', 'exit@0.4.0')(other('wasi:cli@0.2.6', 'wasi:cli@0.4.0')(wit)),
    });
    expect((await problem(bytes, 'tool'))?.message).toContain(
      'imports wasi:cli/exit@0.4.0, but this host serves wasi at 0.2',
    );
  });

  it('refuses a process driver where an http driver belongs', async () => {
    const wat = watOf(guests.echo).replace(
      '(module',
      '(module (func (export "murmur:driver/process@0.3.0#describe") (result i32) (i32.const 0))',
    );
    const bytes = await component({ exports: ['murmur:tool/run', 'murmur:driver/process'], wat });
    expect((await problem(bytes, 'driver'))?.message).toContain('makes it a process driver');
    expect(await problem(bytes, 'tool')).toBeUndefined();
  });

  it('is checked again at every call', async () => {
    const loaded = await host.load('capsule');
    const outcome = await host.wasm.call({
      component: loaded,
      kind: 'tool',
      name: 'wrong',
      depth: 0,
      limits: { memoryBytes: 1, tableElements: 1, instances: 1, deadlineMs: 1 },
      env: [],
      preopens: [],
      egress: { handle: async () => ({}), close: () => {} },
      host: {},
    });
    expect(failureOf(outcome).kind).toBe('link-error');
    expect(failureOf(outcome).message).toContain('tool "wrong" exports murmur:capsule/run@0.1.0');
  });
});
