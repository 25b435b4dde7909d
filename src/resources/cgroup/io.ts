import { join } from 'node:path';
import type { IoMaxOutcome } from '../types.js';
import { type CgroupFiles, errnoOf } from './files.js';
import { splitDevice } from './parse.js';

/**
 * Bounds the disk traffic of a group on the device of the work folder. Never a refusal (spec/resources.md 4.3): file systems
 * without a disk of their own (overlay, tmpfs, network) cannot be bounded at all.
 */
export async function setIoMax(
  files: CgroupFiles,
  group: string,
  workFolder: string,
  bytesPerSec: number,
): Promise<IoMaxOutcome> {
  const write = (device: string) =>
    files.write(join(group, 'io.max'), `${device} rbps=${bytesPerSec} wbps=${bytesPerSec}`);
  let device: string;
  try {
    const { major, minor } = splitDevice(await files.device(workFolder));
    device = `${major}:${minor}`;
  } catch (error) {
    return { status: 'unavailable', reason: `the device of ${workFolder} cannot be read (${errnoOf(error)})` };
  }
  try {
    await write(device);
    return { status: 'enforced' };
  } catch (error) {
    const disk = await files.diskOf(device);
    if (
      disk !== undefined &&
      (await write(disk).then(
        () => true,
        () => false,
      ))
    )
      return { status: 'enforced' };
    return { status: 'unavailable', reason: `io.max for device ${device} of the work folder: ${errnoOf(error)}` };
  }
}
