/** Small readings of what sessions and calls carry, as people read them. */
import type { SessionFrame } from '../../frame.js';
import type { Call } from './call.js';
import { bytes, clean, duration, grouped } from './names.js';

/** `write logs/pump.log`: the arguments that fit on one line, without their names where they speak for themselves. */
export function summaryOf(input: unknown, most = 90): string {
  if (typeof input === 'string') return oneLine(input, most);
  if (typeof input !== 'object' || input === null) return '';
  const parts = Object.entries(input).map(([key, value]) => {
    const shown = typeof value === 'string' ? value : JSON.stringify(value);
    return key === 'action' || key === 'path' || key === 'command' ? shown : `${key}=${shown}`;
  });
  return oneLine(parts.join(' '), most);
}

export function oneLine(text: string, most: number): string {
  const line = clean(text.slice(0, most * 4))
    .replace(/\s+/g, ' ')
    .trim();
  return line.length > most ? `${line.slice(0, most)}…` : line;
}

export function tookText({ start, end }: Call, now: number): string {
  return duration((end ?? Math.max(start, now)) - start);
}

export function sizeText(call: Call): string {
  if (call.kind === 'driver') {
    const { input = null, output = null } = call.tokens ?? {};
    return `${input === null ? '–' : grouped(input)} in · ${output === null ? '–' : grouped(output)} out`;
  }
  return [call.inBytes, call.outBytes].map((size) => (size === null ? '–' : bytes(size))).join(' → ');
}

export const callTitle: Readonly<Record<Call['kind'], string>> = {
  driver: 'Model',
  tool: 'Tool',
  skill: 'Skill',
  shell: 'Command',
};

/** The word for a session in one glance, and its colour. */
export function standing(info: SessionFrame | null): {
  readonly word: string;
  readonly tone: 'good' | 'done' | 'bad' | 'warn' | 'plain';
} {
  if (info === null) return { word: 'arriving', tone: 'plain' };
  if (info.ended !== null) {
    const { status } = info.ended;
    return { word: clean(status), tone: status === 'ok' ? 'done' : status === 'unknown' ? 'warn' : 'bad' };
  }
  const { verdict } = info.liveness;
  return { word: verdict, tone: verdictTone(verdict) };
}

export function verdictTone(verdict: SessionFrame['liveness']['verdict']): 'good' | 'warn' | 'plain' {
  const tones = { Live: 'good', Alive: 'good', Unreachable: 'warn', Unverified: 'warn', Gone: 'plain' } as const;
  return tones[verdict] ?? 'plain';
}

export interface Spent {
  readonly input: number;
  readonly output: number;
  readonly cached: number;
  readonly thinking: number;
}

/** Tokens of the model calls that had ended by `at`. */
export function spentBy(calls: readonly Call[], at: number): Spent {
  const sum = { input: 0, output: 0, cached: 0, thinking: 0 };
  for (const { tokens, end } of calls) {
    if (tokens === null || end === null || end > at) continue;
    for (const key of ['input', 'output', 'cached', 'thinking'] as const) sum[key] += tokens[key] ?? 0;
  }
  return sum;
}
