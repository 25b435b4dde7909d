import type { ToolInput, ToolResult } from '../../workers/protocol.js';
import { callComponent } from './component.js';
import type { GuestCommands } from './guest-commands.js';
import { type Sender, sendMessage } from './peers.js';
import type { SessionWorld } from './world.js';

/** The guest that calls another: what both of them do counts as one call's. */
export interface ToolCaller {
  readonly commands: GuestCommands | undefined;
  readonly sender: Sender;
}

/**
 * `murmur:tool-registry/invoke` for a guest: runs a staged, allowlisted WASM tool to completion. Rejects with a string, which the
 * guest gets as its `err` (spec/wit.md 3.1). Native and shell tools are not reached this way.
 */
export const invokeTool =
  (world: SessionWorld, { commands, sender }: ToolCaller) =>
  async (name: string, input: ToolInput, depth: number, signal: AbortSignal): Promise<ToolResult> => {
    const staged = world.draft.tools.get(name);
    if (staged === undefined || !world.draft.request.allowlistedTools.has(name)) {
      throw `tool '${name}' is not declared in this capsule's manifest`;
    }
    const outcome = await callComponent(world, {
      kind: 'tool',
      name,
      component: staged.component,
      input,
      depth,
      staged,
      signal,
      host: { send: sendMessage(world, sender, staged), ...(commands && { shell: commands.host(staged) }) },
    });
    if (outcome.status === 'failed') throw outcome.failure.message;
    if (outcome.result === undefined) throw `tool '${name}' returned no result`;
    return outcome.result;
  };
