import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join, relative } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { murmurHome } from '../../src/home/murmur-home.js';
import { startToken } from '../../src/home/process-identity.js';
import { createSessionFolders } from '../../src/home/session-folders.js';
import type { SessionFolderRequest, SessionFolders } from '../../src/home/types.js';
import { mintId } from '../../src/supervise/ids.js';
import { codeOf, temporaryFolder } from './temporary.js';

function request(extra: Partial<SessionFolderRequest> = {}): SessionFolderRequest {
  const user = temporaryFolder();
  const manifestDir = join(user, 'project');
  mkdirSync(manifestDir);
  return { sessionId: mintId('ses'), manifestDir, home: murmurHome({ HOME: user }), ...extra };
}

function create(given: SessionFolderRequest): SessionFolders {
  const folders = createSessionFolders(given);
  onTestFinished(() => folders.close());
  return folders;
}

const modeOf = (path: string): number => statSync(path).mode & 0o777;

/** Every path below `path`, to compare before and after. */
const tree = (path: string): string[] => readdirSync(path, { recursive: true, encoding: 'utf8' }).sort();

test('lays out the three trees of a session', () => {
  const given = request();
  const folders = create(given);
  const { sessionId, home, manifestDir } = given;
  expect(folders.accessibleWorkdir).toBe(join(manifestDir, 'workdir', sessionId));
  expect(folders.createdWorkdirs).toBe(join(manifestDir, 'workdir'));
  expect(folders.runtimeDir).toBe(join(home.sessions, sessionId, 'runtime'));
  expect(folders.recordsDir).toBe(join(home.records, join(manifestDir, 'workdir').slice(1), sessionId));
  expect(readdirSync(folders.runtimeDir).sort()).toEqual(['delegations', 'plans', 'tools']);
  expect(readdirSync(folders.recordsDir).sort()).toEqual(['home', 'logs', 'out', 'tmp']);
  expect(readdirSync(folders.accessibleWorkdir)).toEqual([]);
});

test('every folder below the home is 0700, whatever it was before', () => {
  const given = request();
  const first = createSessionFolders(given);
  for (let at = first.recordsDir; at !== given.home.root; at = join(at, '..')) chmodSync(at, 0o755);
  chmodSync(given.home.sessions, 0o755);
  first.close();
  const folders = create({ ...given, sessionId: mintId('ses') });
  for (const path of [folders.recordsDir, folders.runtimeDir]) {
    for (let at = path; at !== given.home.root; at = join(at, '..'))
      expect([relative(given.home.root, at), modeOf(at)]).toEqual([relative(given.home.root, at), 0o700]);
  }
  for (const name of ['home', 'logs', 'out', 'tmp']) expect(modeOf(join(folders.recordsDir, name))).toBe(0o700);
});

test('the lock names this process and its start', () => {
  const given = request();
  create(given);
  const lock = join(given.home.sessions, given.sessionId, '.lock');
  expect(readFileSync(lock, 'utf8')).toMatch(new RegExp(`^${process.pid} ${startToken(process.pid) ?? ''}\n`));
  expect(modeOf(lock)).toBe(0o600);
});

test('an operator’s work folder is used as it is and nothing is made in it', () => {
  const workdir = temporaryFolder();
  const given = request({ workdir });
  const folders = create(given);
  expect(folders.accessibleWorkdir).toBe(workdir);
  expect(folders.createdWorkdirs).toBeUndefined();
  expect(folders.recordsDir).toBe(join(given.home.records, workdir.slice(1), given.sessionId));
  expect(readdirSync(workdir)).toEqual([]);
  expect(existsSync(join(given.manifestDir, 'workdir'))).toBe(false);
});

test('removing the runtime directory keeps records and work folder, and may be repeated', () => {
  const given = request();
  const folders = create(given);
  folders.runtimeRoot.writeFile('task.md', 'do it');
  folders.accessibleRoot.writeFile('result', 'done');
  folders.removeRuntime();
  folders.removeRuntime();
  folders.close();
  folders.close();
  folders.removeRuntime();
  expect(readdirSync(given.home.sessions)).toEqual([]);
  expect(readdirSync(folders.accessibleWorkdir)).toEqual(['result']);
  expect(existsSync(folders.recordsDir)).toBe(true);
});

test('the three trees share one latch', () => {
  const folders = create(request());
  symlinkSync('/etc/passwd', join(folders.accessibleWorkdir, 'task.md'));
  expect(codeOf(() => folders.accessibleRoot.readFile('task.md', { limitBytes: 10 }))).toBe('E-RUN-906');
  expect(folders.recordsRoot.latch.refused).toContain('task.md');
  expect(folders.tools.latch).toBe(folders.latch);
});

test('a --workdir that does not exist, or is a file, is refused and nothing is made', () => {
  const given = request();
  const before = tree(join(given.home.root, '..'));
  expect(codeOf(() => createSessionFolders({ ...given, workdir: join(given.manifestDir, 'none') }))).toBe('E-IO-001');
  expect(tree(join(given.home.root, '..'))).toEqual(before);
  writeFileSync(join(given.manifestDir, 'file'), '');
  expect(codeOf(() => createSessionFolders({ ...given, workdir: join(given.manifestDir, 'file') }))).toBe('E-IO-003');
});

test('a work folder of another identity is refused before anything is written', () => {
  const workdir = temporaryFolder();
  const given = request({ workdir, expectedWorkdirIdentity: { dev: 1n, ino: 2n } });
  expect(codeOf(() => createSessionFolders(given))).toBe('E-RUN-901');
  expect(existsSync(given.home.sessions)).toBe(false);
});

test('a work folder of the expected identity is accepted', () => {
  const workdir = temporaryFolder();
  const { dev, ino } = statSync(workdir, { bigint: true });
  expect(create(request({ workdir, expectedWorkdirIdentity: { dev, ino } })).accessibleWorkdir).toBe(workdir);
});

test.each([
  ['E-RUN-903', 'sessions'],
  ['E-RUN-904', 'records'],
] as const)('%s: ~/.murmur/%s is a file, and nothing half-made is left', (code, name) => {
  const given = request();
  writeFileSync(given.home[name], '');
  expect(codeOf(() => createSessionFolders(given))).toBe(code);
  expect(readdirSync(given.manifestDir)).toEqual([]);
  expect(name === 'records' ? readdirSync(given.home.sessions) : []).toEqual([]);
});

test('records that lead through a link are refused, and nothing half-made is left', () => {
  const given = request();
  const outside = temporaryFolder();
  mkdirSync(given.home.records);
  symlinkSync(outside, join(given.home.records, given.manifestDir.split('/')[1]!));
  expect(codeOf(() => createSessionFolders(given))).toBe('E-RUN-904');
  expect(readdirSync(outside)).toEqual([]);
  expect(readdirSync(given.home.sessions)).toEqual([]);
});

test('a session id is used once: a second launch under it is refused and the first keeps its folders', () => {
  const given = request();
  const folders = create(given);
  folders.runtimeRoot.writeFile('task.md', 'do it');
  expect(codeOf(() => createSessionFolders({ ...given, workdir: temporaryFolder() }))).toBe('E-RUN-903');
  expect(codeOf(() => createSessionFolders(given))).toBe('E-IO-003');
  expect(folders.runtimeRoot.readFile('task.md', { limitBytes: 10 })?.toString()).toBe('do it');
  expect(existsSync(folders.accessibleWorkdir)).toBe(true);
});

test('a text that is no session id names no folder', () => {
  expect(codeOf(() => createSessionFolders(request({ sessionId: '../x' })))).toBe('E-IO-003');
});
