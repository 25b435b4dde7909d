import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** Bytes of heap in use after the collector had its way. Lets finished promises run their reactions first. Not a benchmark. */
export async function heapInUse(): Promise<number> {
  let bytes = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 4; round += 1) {
    await new Promise((resolve) => setImmediate(resolve));
    collect();
    bytes = Math.min(bytes, process.memoryUsage().heapUsed);
  }
  return bytes;
}
