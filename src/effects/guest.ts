import { startsPrograms } from '../wasm/index.js';
import type { Caller } from './command-call.js';
import type { GuestCommands } from './guest-commands.js';
import type { Totals } from './totals.js';
import type { SessionWorld } from './world.js';

/** Who calls a guest, and what ends the call. */
export interface GuestCaller extends Omit<Caller, 'signal'> {
  readonly signal: AbortSignal;
  /** Of the task, when there is one. */
  readonly totals?: Totals;
}

/** What serves the commands of one guest call; `undefined`, and nothing is loaded, where no component of the session asks for any. */
export async function guestCommands(world: SessionWorld, caller: GuestCaller): Promise<GuestCommands | undefined> {
  const { tools, capsule } = world.draft;
  const components = [...tools.values()].map(({ component }) => component);
  if (![...components, ...(capsule === undefined ? [] : [capsule])].some(startsPrograms)) return undefined;
  const { GuestCommands: Served } = await import('./guest-commands.js');
  return new Served(world, caller);
}
