/**
 * Starts the helper inside a new user and network namespace, takes its sockets, keeps the namespaces open and ends it. The helper gets
 * an empty environment: it needs none, and no credential of the runtime should be in one more process.
 * Read next: workers/network-helper.ts (the other end).
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { Socket as Datagrams } from 'node:dgram';
import { accessSync, closeSync, constants, openSync } from 'node:fs';
import { Server } from 'node:net';
import { fileURLToPath } from 'node:url';
import type { HelperMessage, HelperRequest } from '../../../workers/network-helper.js';
import { workerFile } from '../../wasm/worker-file.js';
import type { NetworkRefused } from './types.js';

export interface HandedOver {
  readonly listeners: readonly Server[];
  readonly resolvers: readonly Datagrams[];
  readonly usernsFd: number;
  readonly netnsFd: number;
}

/** Starting Node on a loaded machine takes a second; a helper that says nothing for this long says nothing at all. */
const patienceMs = 20_000;
const mostErrorBytes = 2048;

/** Where util-linux' unshare is, of the places a package puts it. PATH is not consulted: what is found there runs unconfined. */
export function locateUnshare(): string | undefined {
  return ['/usr/bin/unshare', '/bin/unshare'].find((path) => {
    try {
      accessSync(path, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

export async function startHelper(unshare: string, request: HelperRequest): Promise<HandedOver | NetworkRefused> {
  const helper = fileURLToPath(workerFile('network-helper'));
  const args = ['-c', '-n', '--keep-caps', '--', process.execPath, helper, JSON.stringify(request)];
  const child = spawn(unshare, args, { env: {}, cwd: '/', stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });
  // Comes when stderr is drained and the channel closed too; also after a program that could not be started.
  const ended = new Promise((resolve) => child.once('close', resolve));
  const taken: { listeners: Server[]; resolvers: Datagrams[]; fds: number[] } = {
    listeners: [],
    resolvers: [],
    fds: [],
  };
  try {
    await handOver(child, taken);
    // Opened while the helper lives; they keep the namespaces when it is gone.
    for (const kind of ['user', 'net']) taken.fds.push(openSync(`/proc/${child.pid}/ns/${kind}`, 'r'));
    const [usernsFd, netnsFd] = taken.fds as [number, number];
    return { listeners: taken.listeners, resolvers: taken.resolvers, usernsFd, netnsFd };
  } catch (error) {
    for (const socket of [...taken.listeners, ...taken.resolvers]) socket.close();
    for (const fd of taken.fds) closeSync(fd);
    return { refused: (error as Error).message };
  } finally {
    child.kill('SIGKILL');
    await ended;
  }
}

function handOver(child: ChildProcess, taken: { listeners: Server[]; resolvers: Datagrams[] }): Promise<void> {
  return new Promise((resolve, reject) => {
    let errorText = '';
    child.stderr!.setEncoding('utf8').on('data', (text: string) => {
      errorText = (errorText + text).slice(0, mostErrorBytes);
    });
    const timer = setTimeout(() => reject(new Error(`the helper did not answer within ${patienceMs} ms`)), patienceMs);
    child.once('error', reject);
    child.once('close', (code, signal) => {
      clearTimeout(timer);
      // Without effect after "ready", when the helper is ended on purpose.
      reject(new Error(reasonOf(errorText) ?? `the helper ended with ${signal ?? `code ${code}`}`));
    });
    child.on('message', (message: HelperMessage, handle: unknown) => {
      if (handle instanceof Server) taken.listeners.push(handle);
      else if (handle instanceof Datagrams) taken.resolvers.push(handle);
      if (message.type === 'failed') reject(new Error(message.reason));
      if (message.type === 'ready') resolve();
    });
  });
}

/** The first line that says something; Node prints a stack below it. */
function reasonOf(errorText: string): string | undefined {
  return errorText
    .split('\n')
    .map((line) => line.trim())
    .find((line) => /^unshare:|Error:/.test(line));
}
