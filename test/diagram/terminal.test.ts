import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { charts } from '../../machines/index.js';
import { activeIds, chartOf, drawChart, type Picture, type TerminalLook } from '../../src/diagram/index.js';

const same = (text: string) => text;
const plain: TerminalLook['paint'] = { title: same, dim: same, active: same, hot: same };
const marked: TerminalLook['paint'] = {
  ...plain,
  active: (text) => `<${text}>`,
  hot: (text) => `{${text}}`,
};
const chart = (id: keyof typeof charts) => chartOf(charts[id].machine);
const draw = (picture: Picture, columns = 80, look: Partial<TerminalLook> = {}) =>
  drawChart(picture, { columns, paint: plain, ...look });
const ids = Object.keys(charts) as (keyof typeof charts)[];

describe('a chart on a terminal', () => {
  test.each(ids)('%s is no wider than the terminal, however narrow', (id) => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 140 }), fc.boolean(), fc.boolean(), (columns, isBrief, isAscii) => {
        const lines = draw({ chart: chart(id), isBrief, note: 'ses_a' }, columns, { isAscii });
        expect(lines.length).toBeGreaterThan(0);
        for (const line of lines) expect([...line].length).toBeLessThanOrEqual(columns);
      }),
    );
  });

  test.each(ids)('%s names every state and where every transition leads', (id) => {
    const drawn = chart(id);
    const text = draw({ chart: drawn }, 100).join('\n');
    const keys = (state: typeof drawn.root): string[] => [state.key, ...state.states.flatMap(keys)];
    for (const key of keys(drawn.root)) expect(text).toContain(key);
    const leaves = (text.match(/→ /g) ?? []).length;
    const targets = new Set(drawn.edges.filter(({ to }) => to.length > 0).map(({ from, to }) => `${from} ${to}`));
    expect(leaves).toBe(targets.size);
  });

  test('boxes close: every line of a drawing with room is as wide as the first', () => {
    for (const id of ids) {
      const lines = draw({ chart: chart(id) }, 90);
      expect(new Set(lines.map((line) => [...line].length))).toEqual(new Set([90]));
    }
  });

  test('marks the active states and the transition just taken', () => {
    const picture = {
      chart: chart('turn'),
      active: new Set(activeIds('turn', 'dispatching')),
      hot: new Set(['turn.inferring#xstate.done.actor.infer#0']),
    };
    const text = draw(picture, 80, { paint: marked }).join('\n');
    expect(text).toContain('<● ><dispatching>');
    expect(text).not.toContain('<● ><inferring>');
    expect(text).toMatch(/├ \}\{infer ✓ \[wantsTools\]\}.*\{→ \}\{dispatching\}/);
  });

  test('in brief names idle states beside each other, and puts a running machine into the state that runs it', () => {
    const turn: Picture = {
      chart: chart('turn'),
      active: new Set(activeIds('turn', 'inferring')),
      isBrief: true,
      note: 'turn 3',
    };
    const text = draw({
      chart: chart('task'),
      active: new Set(activeIds('task', { active: { loop: 'turning', attention: 'working' } })),
      isBrief: true,
      inside: (id) => (id === 'turn' ? turn : undefined),
    });
    expect(text.find((line) => line.includes('settled'))).toMatch(/○ ending {3}○ settled {3}◎ completed/);
    const from = text.findIndex((line) => line.includes('● turning'));
    expect(text.slice(from).find((line) => line.includes('─ turn '))).toContain('turn 3');
    expect(text.join('\n')).toMatch(/● inferring {2}runs infer/);
  });

  test('without Unicode is plain ASCII', () => {
    const text = draw({ chart: chart('session'), note: 'a' }, 80, { isAscii: true }).join('\n');
    expect(text).toMatch(/^[\x20-\x7e\n]*$/);
  });
});
