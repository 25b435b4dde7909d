/**
 * Names of files and folders that are made whole before they are moved into place. They say whose they are, so what a kill
 * left half-made can be removed, and what is being made is left alone.
 */
import { randomBytes } from 'node:crypto';
import { isProvablyGone, ownStartToken } from './holder.js';

const pattern = /^\.mur-(\d{1,10})-(\d*)-[0-9a-f]{16}\.tmp$/;

/** A name nobody else uses: `.mur-<pid>-<start token>-<random>.tmp`. */
export function temporaryName(): string {
  return `.mur-${process.pid}-${ownStartToken()}-${randomBytes(8).toString('hex')}.tmp`;
}

/** Whether `name` is of that form and its process is provably gone. */
export function isLeftOver(name: string): boolean {
  const [, pid, token] = pattern.exec(name) ?? [];
  return pid !== undefined && isProvablyGone(Number(pid), token);
}
