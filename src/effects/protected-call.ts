import { type CheckedCommand, checkCommand, checkInput, type Denial } from '../protected/index.js';
import { isShell, readCommand } from '../shell/command-line.js';
import type { ToolCall } from '../tools/index.js';
import type { TraceEvents } from '../trace/index.js';
import { type SessionWorld, traceOf } from './world.js';

/** Why a call of a model may not run, because of `read_only`; traced. `undefined`: nothing in it says that it writes there. */
export function deniedCall(
  world: SessionWorld,
  { name, input, inputText }: Pick<ToolCall, 'name' | 'input' | 'inputText'>,
  of: { readonly turn: number; readonly taskId: string | null },
): Denial | undefined {
  const { protectedPaths, toolAnnotations, tools, natives, request } = world.draft;
  if (protectedPaths === undefined) return undefined;
  const annotations = toolAnnotations.get(name);
  const tool = tools.get(name);
  const isCommand = tool === undefined && !natives.has(name) && request.policy.shellAllow.includes(name);
  const denial = isCommand
    ? deniedText(world, name, inputText)
    : checkInput(protectedPaths, name, input, {
        ...(annotations === undefined ? {} : { annotations }),
        ...(tool === undefined ? {} : { folder: tool.filesystemScope }),
      });
  if (denial !== undefined)
    traceOf(world).write('protected_path_denied', deniedLine(of, isCommand ? 'shell' : 'tool', name, denial));
  return denial;
}

/** The same for a command that a guest or a plan asks for. */
export function deniedCommand(
  world: SessionWorld,
  { name, args }: Pick<CheckedCommand, 'name' | 'args'>,
  of: { readonly turn: number; readonly taskId: string | null },
): Denial | undefined {
  const { protectedPaths } = world.draft;
  if (protectedPaths === undefined) return undefined;
  const denial = checkCommand(protectedPaths, { name, args, takesScript: isShell(name) });
  if (denial !== undefined) traceOf(world).write('protected_path_denied', deniedLine(of, 'shell', name, denial));
  return denial;
}

/** A call without a readable command is refused by what reads it. */
function deniedText(world: SessionWorld, name: string, inputText: string): Denial | undefined {
  const reading = readCommand(name, inputText);
  if (!reading.ok) return undefined;
  const { args } = reading.line;
  return checkCommand(world.draft.protectedPaths!, { name, args, takesScript: isShell(name) });
}

function deniedLine(
  { turn, taskId }: { readonly turn: number; readonly taskId: string | null },
  call: 'shell' | 'tool',
  target: string,
  { path, rule, signal, message }: Denial,
): TraceEvents['protected_path_denied'] {
  return { turn, task_id: taskId, call, target, path, rule, signal, reason: message };
}
