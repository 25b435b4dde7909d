import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { describeArchive } from '../../src/artifacts/describe.js';
import { type LocalStore, localStore } from '../../src/artifacts/local-store.js';
import { isMurError, type MurError } from '../../src/errors/index.js';
import { type PinRequest, pin, readLock, updateLock } from '../../src/lock/index.js';
import { sha256Hex } from '../../src/text/index.js';
import { skill } from '../artifacts/registries/server.js';
import { toolZip } from '../e2e/artifacts.js';
import { rehearsal } from '../e2e/cli.js';
import { type Left, Library } from '../effects/run.js';

let library: Library;
let project: LocalStore;
let tool: Uint8Array;
beforeAll(async () => {
  library = new Library();
  project = localStore('project', join(library.sandbox.project, '.murmur', 'artifacts'));
  tool = await toolZip('acme-files', '1.0.0');
});
afterEach(() => {
  rmSync(lockPath(), { force: true });
  rmSync(project.root, { recursive: true, force: true });
});
afterAll(() => library.close());

const lockPath = (): string => join(library.sandbox.project, 'murmur.lock');
const lockText = (): string | undefined => (existsSync(lockPath()) ? readFileSync(lockPath(), 'utf8') : undefined);
const put = async (bytes: Uint8Array) => project.put(await describeArchive(bytes, 'test.zip'));
const pinned = (what: Partial<PinRequest>) =>
  updateLock(library.sandbox.project, (lock) =>
    pin(lock, { name: 'acme-files', version: '1.0.0', sha256: sha256Hex(tool), origin: 'operator', ...what }),
  );
const driver = { name: 'mur-driver-rehearsal', version: '0.1.0', runtime: 'driver' };
const files = { name: 'acme-files', version: '1.0.0' };
const manifestOf = (artifacts: readonly object[], more: object = {}): string =>
  rehearsal([{ call: { tool: 'acme-files', input: { action: 'list' } } }, { say: 'Done.' }], {
    artifacts: [driver, ...artifacts],
    ...more,
  });
/** Runs it; an error from before the launch counts as its error. */
const run = async (manifest: string): Promise<{ left?: Left; error: MurError | undefined }> => {
  try {
    const left = await library.run(manifest);
    return { left, error: left.result.error as MurError | undefined };
  } catch (error) {
    if (isMurError(error)) return { error };
    throw error;
  }
};
const sessionsMade = (): number =>
  ['sessions', 'records'].flatMap((name) => {
    const path = join(library.sandbox.home, '.murmur', name);
    return existsSync(path)
      ? readdirSync(path, { recursive: true, encoding: 'utf8' }).filter((each) => /ses_[0-9a-f]{32}$/.test(each))
      : [];
  }).length;

describe('Run: refused launches make no session and write no lock', () => {
  test.each<[string, Partial<PinRequest>, string, string]>([
    ['a missing entry', { name: 'other' }, 'E-RUN-003', "murmur.lock missing artifact entry for 'acme-files'"],
    [
      'another version',
      { version: '1.0.1' },
      'E-RUN-003',
      "lockfile version mismatch for 'acme-files': manifest requested 1.0.0, lock pinned 1.0.1",
    ],
    ['another hash', { sha256: 'ab'.repeat(32) }, 'E-REG-002', 'artifact integrity check failed for acme-files@1.0.0'],
    [
      'no hash for this platform',
      { platform: 'plan9-mips' },
      'E-RUN-003',
      "murmur.lock has no sha256 for 'acme-files' on",
    ],
  ])('%s', async (_, what, code, text) => {
    await put(tool);
    await pinned(what);
    const [before, made] = [lockText(), sessionsMade()];
    const { error } = await run(manifestOf([files]));
    expect(error?.code).toBe(code);
    expect(error?.message).toContain(text);
    expect(error?.hint).toMatch(/mur install/);
    expect(lockText()).toBe(before);
    expect(sessionsMade()).toBe(made);
  });

  test('a missing entry is told before any store is asked', async () => {
    await pinned({ name: 'other' });
    expect((await run(manifestOf([files]))).error?.code).toBe('E-RUN-003');
  });

  test('an archive that was changed under its pin is refused before anything in it is read', async () => {
    await pinned({});
    await put(await toolZip('acme-files', '1.0.0', 'changed'));
    const { error, left } = await run(manifestOf([files]));
    expect(error?.code).toBe('E-REG-002');
    expect(left?.notices.filter(({ type }) => type === 'component.compiling')).toEqual([]);
  });

  test('a lock that cannot be read is refused', async () => {
    writeFileSync(lockPath(), 'lock_version: 1\n');
    const { error } = await run(manifestOf([files]));
    expect(error?.code).toBe('E-RUN-003');
    expect(lockText()).toBe('lock_version: 1\n');
  });

  test('without a lock, a launch that is refused writes none', async () => {
    await put(tool);
    expect((await run(manifestOf([files, { name: 'absent', version: '1.0.0' }]))).error?.code).toBe('E-RUN-008');
    const gateway = { endpoint: 'http://127.0.0.1:9', keyless: true };
    expect((await run(manifestOf([{ ...files, gateway }]))).error?.code).toBe('E-RUN-025');
    expect(lockText()).toBeUndefined();
  });
});

describe('Run: a runtime pin in a role that only the operator may give is E-RUN-043', () => {
  const gateway = { endpoint: 'http://127.0.0.1:9', keyless: true };
  const promptOf = (name: string) => ({
    inference: { model: 'rehearsal', driver: { artifact: driver.name }, system_prompt_artifact: name },
  });
  test.each<[string, object, object]>([
    ['runtime: hook', { ...files, runtime: 'hook', gateway }, {}],
    [
      'runtime: driver',
      { ...files, runtime: 'driver', gateway },
      { inference: { model: 'm', driver: { artifact: 'acme-files' } } },
    ],
    ['gateway:', { ...files, gateway }, {}],
    ['inference.system_prompt_artifact', { ...files, runtime: 'skill' }, promptOf('acme-files')],
  ])('%s', async (role, entry, more) => {
    await pinned({ origin: 'runtime', session: 'ses_1' });
    const [before, made] = [lockText(), sessionsMade()];
    const { error } = await run(manifestOf([entry], more));
    expect(error).toMatchObject({
      code: 'E-RUN-043',
      message: `murmur.lock pins 'acme-files@1.0.0' from a runtime pull by session ses_1, and murmur.yaml declares it with ${role}, which only an operator-declared pin may carry`,
      hint: expect.stringContaining('mur install acme-files@1.0.0'),
    });
    expect(lockText()).toBe(before);
    expect(sessionsMade()).toBe(made);
  });

  test('as a tool it stages, marked as what it is', async () => {
    await put(tool);
    await pinned({ origin: 'runtime', session: 'ses_1' });
    const { left, error } = await run(manifestOf([files]));
    expect(error).toBeUndefined();
    expect(left?.lines.find(({ event_type }) => event_type === 'session_start')).toMatchObject({
      runtime_artifacts: [
        { name: 'acme-files', version: '1.0.0', origin: 'runtime', session: 'ses_1', trust: 'untrusted' },
      ],
    });
  });
});

describe('Run: the lock of a project', () => {
  test('is made of what came from a store, then only verified, never refreshed', async () => {
    await put(tool);
    const style = await skill('ledger-style', '1.0.0');
    await put(style);
    const declared = [files, { name: 'ledger-style', version: '1.0.0', runtime: 'skill' }];
    const first = await run(manifestOf(declared));
    expect(first.left?.result.status).toBe('ok');
    expect(readLock(library.sandbox.project)).toEqual({
      artifacts: [
        { name: 'acme-files', resolvedVersion: '1.0.0', sha256: { any: sha256Hex(tool) }, origin: 'operator' },
        { name: 'ledger-style', resolvedVersion: '1.0.0', sha256: { any: sha256Hex(style) }, origin: 'operator' },
      ],
    });
    writeFileSync(lockPath(), `# mine\n${lockText()}`);
    const before = lockText();
    expect((await run(manifestOf(declared))).error).toBeUndefined();
    expect(lockText()).toBe(before);
  });

  test('is not made for what mur ships and for what lies at a path', async () => {
    library.sandbox.write('project/notes/skill.md', '# Notes\n');
    const declared = [
      { name: 'mur-tool-files', version: '0.1.0' },
      { name: 'notes', source: './notes', runtime: 'skill' },
    ];
    expect((await run(manifestOf(declared))).error).toBeUndefined();
    expect(lockText()).toBeUndefined();
  });

  test('needs no entry for what mur ships, and verifies one that is there', async () => {
    await pinned({});
    await put(tool);
    expect((await run(manifestOf([files]))).error).toBeUndefined();
    await pinned({ name: 'mur-driver-rehearsal', version: '0.1.0' });
    expect((await run(manifestOf([files]))).error?.code).toBe('E-REG-002');
  });

  test('does not pass a stored artifact off as the one mur ships', async () => {
    await pinned({});
    await put(tool);
    await put(await toolZip('mur-tool-files', '0.1.0'));
    const { error } = await run(manifestOf([files, { name: 'mur-tool-files', version: '0.1.0' }]));
    expect(error).toMatchObject({
      code: 'E-RUN-003',
      message: "murmur.lock missing artifact entry for 'mur-tool-files'",
    });
  });

  test('that cannot be written is a warning, and the session runs', async () => {
    await put(tool);
    const held = join(library.sandbox.project, '.murmur.lock.held');
    writeFileSync(held, '');
    const { left } = await run(manifestOf([files]));
    rmSync(held);
    expect(left?.result.status).toBe('ok');
    expect(left?.notices).toContainEqual(
      expect.objectContaining({ type: 'warning', code: 'W-RUN-905', message: expect.stringContaining(held) }),
    );
    expect(lockText()).toBeUndefined();
  });
});
