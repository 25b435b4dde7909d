/**
 * One process at a time, by a file that names its holder. Taken over on proof that the holder is gone (src/home/holder.ts), never
 * because it is old; so a crash costs the next process nothing, and a slow holder loses nothing.
 *
 * The file is a symbolic link that leads nowhere: made in one system call together with what it says, so no crash leaves one that
 * names nobody. Removing that of a dead holder is itself done by one process at a time, under a file named after that holder's
 * nonce: without it, one who found the dead holder late would remove the file of whoever took over meanwhile.
 *
 * Does not stop: a process that does not ask; two hosts, or two containers with one host name and separate process tables, that
 * share the folder (another host's holder is waited for and never judged); a file system without symbolic links, which is refused.
 */
import { randomBytes } from 'node:crypto';
import { readlinkSync, symlinkSync, unlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { MurError } from '../errors/index.js';
import { errnoOf, ioError } from '../home/failure.js';
import { isProvablyGone, ownStartToken } from '../home/holder.js';

const pollMs = 10;

/** Runs `work` while no other caller, of any process, works under `path`. Throws `E-IO-003` after waiting `limitMs` for another. */
export async function exclusively<T>(path: string, limitMs: number, work: () => T | Promise<T>): Promise<T> {
  const own = await take(path, performance.now() + limitMs);
  try {
    return await work();
  } finally {
    if (holderOf(path) === own) unlinkSync(path);
  }
}

/** Removes the file at `path` if its holder is gone: what a crash left that nobody will ask for again. */
export async function removeIfAbandoned(path: string, limitMs: number): Promise<void> {
  const holder = holderOf(path);
  if (holder !== undefined && isGone(holder)) await removeDead(path, holder, limitMs);
}

async function take(path: string, endsAt: number): Promise<string> {
  const own = `${process.pid}-${ownStartToken()}-${randomBytes(8).toString('hex')}@${hostname()}`;
  while (!claim(path, own)) {
    const holder = holderOf(path);
    if (holder === undefined) continue;
    const leftMs = endsAt - performance.now();
    if (isGone(holder)) await removeDead(path, holder, leftMs);
    else if (leftMs > 0) await sleep(pollMs * (0.5 + Math.random()));
    else {
      throw new MurError('E-IO-003', `${path} is held by process ${describe(holder)}`, {
        hint: 'wait until it is done; if that process does not exist, remove the file',
      });
    }
  }
  return own;
}

function claim(path: string, own: string): boolean {
  try {
    symlinkSync(own, path);
    return true;
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') return false;
    throw ioError('cannot make', path, error);
  }
}

/** What the file says; `undefined` when there is none. */
function holderOf(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    if (errnoOf(error) === 'EINVAL') throw new MurError('E-IO-003', `${path} was not made by mur; remove it`);
    throw ioError('cannot read', path, error);
  }
}

const holderPattern = /^(\d{1,10})-(\d*)-([0-9a-f]{16})@(.*)$/s;

function isGone(holder: string): boolean {
  const [, pid, token, , host] = holderPattern.exec(holder) ?? [];
  return host === hostname() && isProvablyGone(Number(pid), token);
}

async function removeDead(path: string, holder: string, limitMs: number): Promise<void> {
  const nonce = holderPattern.exec(holder)?.[3] ?? '';
  await exclusively(`${path}.${nonce}`, limitMs, () => {
    if (holderOf(path) === holder) unlinkSync(path);
  });
}

function describe(holder: string): string {
  const [, pid, , , host] = holderPattern.exec(holder) ?? [];
  return pid === undefined ? JSON.stringify(holder.slice(0, 80)) : `${pid} on ${host}`;
}
