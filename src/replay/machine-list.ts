import { type LoggedEvent, rootPath } from './log.js';
import type { ReplayMachine, ReplayState } from './types.js';

/** Every `xstate.init` is a machine. It ended with its last event when it was stopped, when its parent heard that it is done, or now. */
export function machineList(events: Iterable<LoggedEvent>, end: ReplayState): ReplayMachine[] {
  const list: (ReplayMachine & { lastEvent: number; endedBy: number | undefined })[] = [];
  const latest = new Map<string, (typeof list)[number]>();
  for (const { q, path = rootPath, run = 1, chart = rootPath, ev } of events) {
    const key = `${path}#${run}`;
    if (ev.type === 'xstate.init') {
      const machine = { path, run, chart, input: ev.input, startedBy: q, endedBy: undefined, lastEvent: q };
      list.push(machine);
      latest.set(key, machine).set(path, machine);
    }
    const machine = latest.get(key);
    if (machine !== undefined) machine.lastEvent = q;
    if (machine !== undefined && ev.type === 'xstate.stop') machine.endedBy = q;
    const ended = /^xstate\.(?:done|error)\.actor\.(.+)$/.exec(ev.type)?.[1];
    const child = ended === undefined ? undefined : latest.get(`${path}/${ended}`);
    if (child !== undefined) child.endedBy ??= child.lastEvent;
  }
  for (const { path, run, status } of end.machines) {
    const machine = latest.get(`${path}#${run}`);
    if (machine !== undefined && status !== 'active') machine.endedBy ??= machine.lastEvent;
  }
  return list.map(({ lastEvent: _, ...machine }) => machine);
}
