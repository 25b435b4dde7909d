import type { HookOutput, ToolEvent } from 'mur:hook';

/** Runs before and after each tool call. Before it (no outcome yet), the call can be denied. */
export function onToolCall({ toolName, input, outcome }: ToolEvent): HookOutput {
  if (outcome !== null) return;
  const { action, path = '' } = JSON.parse(input) as { action?: string; path?: string };
  if (action === 'write' && path.endsWith('.lock')) return { deny: `${toolName} must not write lock files` };
}
