import type { Door, DoorOptions } from './types.js';

/** A door that is listening. Rejects with `E-RUN-010` when the configured port is taken. */
export async function openDoor(_options: DoorOptions): Promise<Door> {
  throw new Error('not built yet');
}
