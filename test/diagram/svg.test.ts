import { beforeAll, describe, expect, it } from 'vitest';
import { type ChartLayout, chartOf, mermaidOf, renderSvg } from '../../src/diagram/index.js';
import { layoutOf } from '../../src/diagram/layout.js';
import { example } from './example.js';

let layout: ChartLayout;
beforeAll(async () => {
  layout = await layoutOf(chartOf(example));
});

/** Opening tags closed in order, attributes quoted, no stray `<` or `&`: enough XML to trust the writer. */
function wellFormed(svg: string): boolean {
  const open: string[] = [];
  const rest = svg.replace(
    /<(\/?)([a-z]+)((?:\s+[\w:-]+="[^"<]*")*)\s*(\/?)>/gi,
    (_, closes, name, _attributes, empty) => {
      if (closes === '/') return open.pop() === name ? '' : '<';
      if (empty !== '/') open.push(name);
      return '';
    },
  );
  return open.length === 0 && !rest.includes('<') && !/&(?!amp;|lt;|gt;|quot;)/.test(svg);
}

describe('an SVG', () => {
  it('is well formed, and all text in it is escaped', () => {
    const svg = renderSvg(layout);
    expect(wellFormed(svg)).toBe(true);
    expect(svg).toContain('<title>Nothing &lt;yet&gt; &amp; &quot;quiet&quot;.</title>');
  });

  it('stands alone: no script, no link, nothing loaded, light and dark inside', () => {
    const svg = renderSvg(layout);
    expect(svg).not.toMatch(/<script|href=|url\(|@import|https?:\/\/(?!www\.w3\.org\/2000\/svg)/);
    expect(svg).toContain('@media (prefers-color-scheme:dark)');
  });

  it('shows active states and taken transitions, and nothing as such by itself', () => {
    expect(renderSvg(layout)).not.toMatch(/class="[^"]*\b(?:on|hot)"/);
    const svg = renderSvg(layout, {
      active: ['example', 'example.busy'],
      hot: ['example.idle#go#0', 'example#ping#0'],
    });
    expect([...svg.matchAll(/class="state [^"]*\bon" data-id="([^"]+)"/g)].map(([, id]) => id)).toEqual([
      'example',
      'example.busy',
    ]);
    expect(svg).toMatch(/class="edge hot" data-edges="example\.idle#go#0"/);
    expect(svg).toMatch(/class="row hot" data-edges="example#ping#0"/);
    expect(wellFormed(svg)).toBe(true);
  });

  it('draws final states with a double border, regions dashed, history as a circle', () => {
    const svg = renderSvg(layout);
    const state = (id: string) => svg.split('\n').find((line) => line.includes(`data-id="${id}"`))!;
    expect(state('example.gone').match(/<rect/g)).toHaveLength(2);
    expect(state('example.busy.left')).toContain('class="state region');
    expect(state('example.busy.left.back')).toMatch(/<circle.*H\*/);
  });
});

describe('Mermaid text', () => {
  const text = mermaidOf(chartOf(example));

  it('writes a transition into the own inside once per state beside the target', () => {
    expect(text).not.toMatch(/example_busy --> example_busy_left_two/);
    expect(text).toContain('example_busy_left_one --> example_busy_left_two: rest');
    expect(text).toContain('example_busy_right --> example_busy_left_two: rest');
  });

  it('writes the transitions of the machine itself as a note', () => {
    expect(text).toMatch(
      /note left of example_idle\n {4}in every state#58;\n|note left of example_idle\n {4}in every state:\n/,
    );
    expect(text).toContain('kill / note → gone');
  });

  it('separates regions, and marks where states start and end', () => {
    expect(text).toMatch(/^ {4}--$/m);
    expect(text).toMatch(/^ {2}\[\*\] --> example_idle$/m);
    expect(text).toMatch(/^ {2}example_gone --> \[\*\]$/m);
    expect(text).toMatch(/^ {6}example_busy_right_off --> \[\*\]$/m);
  });
});
