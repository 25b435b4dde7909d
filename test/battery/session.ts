/**
 * One session as the battery sees it: folders, what lies around them, and real boxes in them. Everything is decided by the product:
 * probe, decision, executables, network.
 */
import { chmodSync, chownSync, copyFileSync, mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { type Box, type BoxCommand, type BoxRequest, openBox } from '../../src/containment/box.js';
import { type ContainmentDecision, decide } from '../../src/containment/decide.js';
import type { SessionNetwork } from '../../src/containment/egress/index.js';
import {
  type Executables,
  type ExecutablesAsked,
  type PathGrant,
  resolveExecutables,
} from '../../src/containment/executables.js';
import type { HostReport } from '../../src/containment/host.js';
import type { BoxKind } from './case.js';
import { tight } from './cases/ceilings.js';
import { abstractName, unixListener } from './listeners.js';
import type { Class } from './verdict.js';

export const programs = [
  ...[
    'bash',
    'cat',
    'ls',
    'sleep',
    'setsid',
    'true',
    'tr',
    'sort',
    'wc',
    'head',
    'grep',
    'cp',
    'dd',
    'rm',
    'mktemp',
    'seq',
    'mkdir',
  ],
  ...['python3', 'perl', 'git', 'curl', 'node', 'battery-suid-id'],
];

export interface Ground {
  readonly root: string;
  readonly folders: BoxRequest['folders'];
  readonly token: string;
  readonly unix: string;
  readonly abstract: string;
  readonly decoy: number;
  /** What the unix sockets were sent. */
  readonly heard: { unix: string };
  close(): Promise<void>;
}

/** Folders of a session and what must stay out of its reach, below `place`. */
export async function prepareGround(place: string, token: string): Promise<Ground> {
  const folder = (...path: string[]) => {
    const full = join(place, ...path);
    mkdirSync(full, { recursive: true });
    chmodSync(full, 0o755);
    return realpathSync(full);
  };
  const file = (path: string, text: string, mode = 0o644) => {
    writeFileSync(path, text);
    chmodSync(path, mode);
  };
  const work = folder('work');
  const records = folder('records');
  const folders = {
    work,
    records,
    temp: folder('records', 'tmp'),
    home: folder('records', 'home'),
    runtime: folder('runtime'),
  };
  file(join(folder('outside'), 'secret'), 'the secret of the machine\n');
  file(join(folder('other'), 'trace.jsonl'), '{}\n');
  file(join(records, 'trace.jsonl'), '{}\n');
  file(join(folders.runtime, 'MURMUR.md'), 'as the runtime wrote it\n');
  file(join(folder('state'), 'kept'), 'of the tool\n');
  file(join(folder('lent-read'), 'file'), 'lent\n');
  const lentWrite = folder('lent-write');
  folder('work', 'planted');
  copyFileSync('/usr/bin/id', join(work, 'planted', 'bash'));
  copyFileSync('/usr/bin/id', join(lentWrite, 'tool'));
  for (const path of [join(work, 'planted', 'bash'), join(lentWrite, 'tool')]) chmodSync(path, 0o755);
  file(join(work, 'planted', 'script'), '#!/bin/bash\necho ran\n', 0o755);
  file(join(work, 'mode-000'), 'not yours\n', 0);
  if (process.getuid!() === 0) chownSync(join(work, 'mode-000'), 12_345, 12_345);

  const unix = join(folder('outside'), 'socket');
  const abstract = `\0${token}`;
  const heard = { unix: '' };
  const hear = (text: string) => {
    heard.unix += text;
  };
  const servers = await Promise.all([
    listening(),
    ...[unix, join(work, 'listener'), abstract].map((path) => unixListener(path, hear)),
  ]);
  const address = servers[0]!.address();
  return {
    root: realpathSync(place),
    folders,
    token,
    unix,
    abstract: abstractName(abstract),
    heard,
    decoy: typeof address === 'object' && address !== null ? address.port : 0,
    close: async () => {
      await Promise.all(servers.map((server) => new Promise((done) => server.close(done))));
    },
  };
}

function listening(): Promise<Server> {
  const server = createServer((socket) =>
    socket
      .on('error', () => {})
      .resume()
      .end(),
  );
  return new Promise((resolve, reject) => server.once('error', reject).listen(0, () => resolve(server)));
}

export interface Setting {
  readonly host: HostReport;
  readonly held: Class;
  readonly executables: Executables;
  readonly ground: Ground;
  readonly network?: SessionNetwork;
  readonly pathFolders: string;
  readonly extra?: readonly PathGrant[];
}

export function decisionOf(host: HostReport, floor: Class, workdirExec = false): ContainmentDecision {
  return decide(host, {
    floor,
    workdirExec,
    runtimeInsideWorkdir: false,
    networkAllowEmpty: true,
    startsProcesses: true,
  });
}

export function executablesOf(
  path: string,
  more: Partial<Pick<ExecutablesAsked, 'allow' | 'interpreterRuntime'>> = {},
): Promise<Executables> {
  const { allow = [], interpreterRuntime = [] } = more;
  return resolveExecutables({ allow: [...programs, ...allow], path, interpreterRuntime, stagedRuntime: [] });
}

/** A real box of that kind. */
export function openKind(
  { host, held, executables, ground, network, extra = [] }: Setting,
  kind: BoxKind,
): Promise<Box> {
  const { root, folders } = ground;
  return openBox({
    host,
    decision: decisionOf(host, held, kind === 'workdir-exec'),
    folders,
    policy: { unixSocketsAllowed: kind === 'unix-sockets', workdirExecAllowed: kind === 'workdir-exec' },
    resources: kind === 'tight' ? tight : { noCore: true },
    executables,
    ...(network === undefined ? {} : { network }),
    readPaths: [
      { path: join(root, 'lent-read'), access: 'read', list: true, required: true },
      { path: join(root, 'lent-write'), access: 'read-write', list: true, required: true },
      ...extra,
    ],
  });
}

export interface Finished {
  readonly out: string;
  readonly err: string;
  readonly exitCode: number;
  readonly signal?: NodeJS.Signals;
}

/** Runs a command in a box to its end. */
export async function run(
  box: Box,
  { executables, ground }: Pick<Setting, 'executables' | 'ground'>,
  name: string,
  args: readonly string[],
  rest: {
    readonly stdin?: Uint8Array;
    readonly env?: Readonly<Record<string, string>>;
    readonly extra?: NonNullable<BoxCommand['extra']>;
  } = {},
): Promise<Finished> {
  const running = await box.start({
    path: pathOf(executables, name),
    argv0: name,
    args,
    env: { ...environment(box, ground), ...rest.env },
    ...(rest.stdin === undefined ? {} : { stdin: rest.stdin }),
    ...(rest.extra === undefined ? {} : { extra: rest.extra }),
  });
  const [out, err, ending] = await Promise.all([text(running.stdout), text(running.stderr), running.ended]);
  return { out, err, ...ending };
}

export function pathOf({ binaries }: Executables, name: string): string {
  const found = binaries.find((each) => each.name === name && each.first);
  if (found === undefined) throw new Error(`${name} is not installed`);
  return found.path;
}

export function environment(box: Box, { folders }: Pick<Ground, 'folders'>): Record<string, string> {
  return {
    PATH: '/usr/bin:/bin',
    HOME: folders.home,
    TMPDIR: box.tempPath,
    GIT_CONFIG_NOSYSTEM: '1',
    OPENSSL_CONF: '/dev/null',
    MURMUR_RUNTIME_DIR: folders.runtime,
  };
}

async function text(stream: NodeJS.ReadableStream): Promise<string> {
  let all = '';
  for await (const chunk of stream) all += chunk;
  return all;
}

/** What the snippets know about where they are. */
export function factsOf({ ground, host, held, executables }: Setting, box: Box): Readonly<Record<string, unknown>> {
  const { root, folders } = ground;
  const loader = executables.executable.find((path) => /\/ld-[^/]*\.so/.test(path));
  const library = executables.readable.find(({ path }) => /\/lib(z|m)\.so/.test(path))?.path;
  return {
    ...folders,
    root,
    class: held,
    arch: host.arch,
    tmp: box.tempPath,
    token: ground.token,
    pid: process.pid,
    parent: process.ppid,
    outside: join(root, 'outside', 'secret'),
    other: join(root, 'other'),
    state: join(root, 'state'),
    lentRead: join(root, 'lent-read'),
    lentWrite: join(root, 'lent-write'),
    unix: ground.unix,
    abstract: ground.abstract,
    decoy: ground.decoy,
    decoy6: ground.decoy,
    loader,
    library,
    suid: executables.binaries.find(({ name }) => name === 'battery-suid-id')?.path,
  };
}
