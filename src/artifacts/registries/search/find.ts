import { statSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { MurError, reasonOf, Secret } from '../../../errors/index.js';
import { isMissing, readRegularText } from '../../../manifest/index.js';
import { type LocalStore, localStore } from '../../local-store.js';
import { baseAddress, below, refuseOpenKey } from '../http/address.js';
import { call, type Reply } from '../http/call.js';
import type { Outgoing } from '../http/exchange.js';
import { NoAnswer, plainAddress, serverText } from '../http/failure.js';
import { type HttpLimits, httpLimits } from '../http/limits.js';
import type { IndexEntry, RegistryContext } from '../types.js';
import { readIndex } from './index-file.js';

const fileName = 'artifacts-index.json';

export interface IndexPlaces {
  /** `local`, an absolute path, or an address. */
  readonly where: string;
  /** What `local` means, in order. */
  readonly stores: readonly LocalStore[];
}

/**
 * What the index at `where` lists. An address is that of an index file; a bare origin is a remote registry. A path is an index file, a
 * folder that holds one, or a store. `E-IO-003` names the place and what was wrong with it.
 */
export async function findIndex(
  { where, stores }: IndexPlaces,
  context: Pick<RegistryContext, 'env' | 'signal'>,
  limits: HttpLimits = httpLimits,
): Promise<readonly IndexEntry[]> {
  const text = where.trim();
  if (text.toLowerCase() === 'local') return storeEntries(stores);
  if (isAbsolute(text)) return pathEntries(text, limits);
  return addressEntries(baseAddress(text, 'registry to search'), context, limits);
}

async function storeEntries(stores: readonly LocalStore[]): Promise<readonly IndexEntry[]> {
  const rows = (await Promise.all(stores.map((store) => store.list()))).flat();
  const entries = new Map<string, IndexEntry>();
  for (const { meta, platform } of rows) {
    const { name, version, runtime, artifactRuntime, description, tags } = meta;
    const key = JSON.stringify([name, version]);
    const own = [...meta.platforms.map((parts) => parts.join('-')), ...(platform === undefined ? [] : [platform])];
    entries.set(key, {
      ...{ name, version, runtime, artifactRuntime, tags },
      ...(description === undefined ? {} : { description }),
      platforms: [...new Set([...(entries.get(key)?.platforms ?? []), ...own])],
    });
  }
  return [...entries.values()];
}

async function pathEntries(path: string, limits: HttpLimits): Promise<readonly IndexEntry[]> {
  const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  const file = isFolder ? join(path, fileName) : path;
  try {
    return readIndex(readRegularText(file, limits.answerBytes), file);
  } catch (error) {
    if (isMissing(error)) {
      if (isFolder) return storeEntries([localStore('global', path)]);
      throw new MurError('E-IO-001', `the artifact index ${path} does not exist`);
    }
    if (error instanceof MurError) throw error;
    throw new MurError('E-IO-003', `failed to read the artifact index ${file}: ${reasonOf(error)}`, { cause: error });
  }
}

async function addressEntries(
  base: URL,
  { env, signal }: Pick<RegistryContext, 'env' | 'signal'>,
  limits: HttpLimits,
): Promise<readonly IndexEntry[]> {
  const isRegistry = base.pathname === '/' && base.search === '';
  // Only a registry is told the key; whoever serves an index file has no use for it.
  const key = isRegistry ? env.NEXUS_API_KEY?.trim() : undefined;
  const credential = key ? new Secret(key) : undefined;
  if (credential !== undefined) refuseOpenKey(base);
  const url = isRegistry ? below(base, ['v1', 'artifacts']) : base;
  const place = plainAddress(url);
  const reply = await ask(
    { method: 'GET', url, headers: { accept: 'application/json' }, credential },
    place,
    limits,
    signal,
  );
  if (reply.status === 200) return readIndex(reply.text, place);
  if (reply.status === 401 || reply.status === 403) {
    const message = `registry authentication failed for ${plainAddress(base)}. Check NEXUS_API_KEY and try again.`;
    throw new MurError('E-IO-003', isRegistry ? message : `the artifact index ${place} answered HTTP ${reply.status}`);
  }
  throw new MurError('E-IO-003', `the artifact index ${place} answered HTTP ${reply.status}`, {
    hint: `check registry.index_url or --registry ${serverText(plainAddress(base))}`,
  });
}

async function ask(out: Outgoing, place: string, limits: HttpLimits, signal?: AbortSignal): Promise<Reply> {
  try {
    return await call(out, limits, signal);
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error;
    throw new MurError('E-IO-003', `the artifact index ${place}: ${error.reason}`, {
      hint: 'check the network and the address; mur search --registry local looks through what is installed',
      cause: error,
    });
  }
}
