/** `mur replay --at`: one event and everything as it stood after it. Pure. The table of all events is in replay-view.ts. */
import { type MachineState, type Replay, type ReplayStep, stateText } from '../replay/index.js';
import { duration } from '../text/measure.js';
import type { ReplayLook } from './replay-view.js';
import { depthOf, machineLabel, phraseOf, stateParts, valueText } from './replay-words.js';
import { oneLine } from './safe-text.js';
import type { Glyphs } from './style.js';
import { displayWidth, pad } from './width.js';

/** One event and everything as it stood after it. */
export function momentLines(replay: Replay, q: number, look: ReplayLook): string[] {
  const { style, glyphs } = look;
  const state = replay.stateAt(q);
  const [step] = replay.steps(state.q, state.q);
  const startedAt = replay.events(0, 0)[0]?.at ?? state.at;
  const lines = [
    `${style.bold(`event ${state.q}`)}${style.dim(` of 0 to ${replay.length - 1} ${glyphs.dot} ${duration(state.at - startedAt)} after the start`)}`,
  ];
  if (step !== undefined) lines.push(...stepLines(step, look));
  for (const machine of state.machines) {
    const was = machine.path === step?.machine.path && machine.run === step.machine.run ? step.before : machine;
    lines.push('', ...machineLines(machine, was, look));
  }
  return lines;
}

function stepLines({ event, machine, before, requests }: ReplayStep, { style, glyphs }: ReplayLook): string[] {
  const phrase = phraseOf(event);
  const sign = { ok: `${style.green(glyphs.ok)} `, failed: `${style.red(glyphs.failed)} `, plain: '' }[phrase.mood];
  const from = event.from === undefined ? '' : style.dim(` from ${oneLine(event.from)}`);
  const [same, fresh] = stateParts(before, machine);
  const was = before === undefined ? '' : `${stateText(before.value)} ${arrow(glyphs)} `;
  return [
    `  ${oneLine(machine.path)} ${style.dim('got')} ${sign}${style.cyan(phrase.text)} ${style.dim(phrase.detail)}${from}`,
    `  ${style.dim(was)}${same}${style.bold(fresh)}`,
    ...(requests.length === 0
      ? []
      : [`  ${style.dim('asked for')} ${requests.map(({ text }) => oneLine(text)).join(style.dim(', '))}`]),
  ];
}

function machineLines(machine: MachineState, was: MachineState | undefined, look: ReplayLook): string[] {
  const { style, glyphs } = look;
  const indent = '  '.repeat(depthOf(machine));
  const dot = machine.status === 'active' ? style.green('●') : style.dim('○');
  const running = machine.children.filter((id) => id !== '').map(oneLine);
  const width = Math.max(0, ...Object.keys(machine.context).map((key) => displayWidth(oneLine(key))));
  return [
    `${indent}${glyphs.ok === '✓' ? dot : '*'} ${style.bold(machineLabel(machine))}  ${style.green(stateText(machine.value))}${running.length === 0 ? '' : style.dim(`  runs ${running.join(', ')}`)}`,
    ...Object.entries(machine.context).map(([key, value]) => {
      const before = was?.context[key];
      const isNew = was !== undefined && JSON.stringify(before) !== JSON.stringify(value);
      const text = `${pad(oneLine(key), width)}  ${valueText(value)}`;
      return `${indent}    ${isNew ? `${style.yellow(text)}${style.dim(`  was ${valueText(before)}`)}` : text}`;
    }),
    ...(machine.output === undefined ? [] : [`${indent}    ${style.dim('output')}  ${valueText(machine.output)}`]),
  ];
}

function arrow(glyphs: Glyphs): string {
  return glyphs.ok === '✓' ? '→' : '->';
}
