import { lstat, opendir } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * The sum of the sizes of all files below a folder. Links are counted and not followed, a file with several names counts once, what
 * cannot be read counts nothing, and a folder that is not there is 0. One folder is open at a time and entries come in small
 * batches, so that a big tree takes long and neither memory nor the thread.
 *
 * Does not stop: a process that swaps a folder for a link during the walk makes its own number wrong; nothing but the number is
 * taken from what is found.
 */
export async function folderSize(root: string, signal?: AbortSignal): Promise<number> {
  const seen = new Set<string>();
  const folders = [root];
  let bytes = 0;
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    signal?.throwIfAborted();
    for await (const { path, isFolder } of entriesOf(folder)) {
      if (isFolder) folders.push(path);
      else bytes += await sizeOf(path, seen);
      signal?.throwIfAborted();
    }
  }
  return bytes;
}

async function* entriesOf(folder: string): AsyncGenerator<{ readonly path: string; readonly isFolder: boolean }> {
  try {
    for await (const entry of await opendir(folder, { bufferSize: 64 })) {
      yield { path: join(folder, entry.name), isFolder: entry.isDirectory() };
    }
  } catch {
    // Unreadable, or gone since it was listed.
  }
}

async function sizeOf(path: string, seen: Set<string>): Promise<number> {
  try {
    const { dev, ino, nlink, size } = await lstat(path);
    if (nlink > 1) {
      const id = `${dev}:${ino}`;
      if (seen.has(id)) return 0;
      seen.add(id);
    }
    return size;
  } catch {
    return 0;
  }
}
