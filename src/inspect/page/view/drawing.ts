/** A drawing of src/diagram as live elements: made once per chart, then only classes and counts change. */
import type { ChartLayout } from '../../../diagram/geometry.js';
import { drawSvg } from '../../../diagram/svg.js';
import type { Trail } from '../store/moment.js';

const svgNs = 'http://www.w3.org/2000/svg';

export interface Drawing {
  readonly svg: SVGSVGElement;
  readonly layout: ChartLayout;
  readonly states: ReadonlyMap<string, Element>;
  readonly counts: ReadonlyMap<string, Element>;
  /** Everything that stands for transitions, with their ids. */
  readonly marks: readonly { readonly element: Element; readonly edges: readonly string[] }[];
}

export function drawingOf(layout: ChartLayout): Drawing {
  // As XML and without script: the renderer escapes, and what it is given was cleaned.
  const parsed = new DOMParser().parseFromString(drawSvg(layout), 'image/svg+xml').documentElement;
  const svg = document.importNode(parsed, true) as unknown as SVGSVGElement;
  svg.removeAttribute('width');
  svg.removeAttribute('height');
  svg.setAttribute('preserveAspectRatio', 'xMidYMid meet');
  const states = new Map([...svg.querySelectorAll('.state')].map((each) => [each.getAttribute('data-id') ?? '', each]));
  const counts = new Map<string, Element>();
  for (const node of layout.nodes) {
    const group = states.get(node.id);
    if (group === undefined || (node.kind !== 'atomic' && node.kind !== 'final')) continue;
    counts.set(node.id, addCount(group, node.x + node.w, node.y));
  }
  const marks = [...svg.querySelectorAll('[data-edges]')].flatMap((element) => {
    const edges = (element.getAttribute('data-edges') ?? '').split(' ');
    const pill = element.previousElementSibling;
    return [{ element, edges }, ...(pill?.classList.contains('pill') ? [{ element: pill, edges }] : [])];
  });
  return { svg, layout, states, counts, marks };
}

function addCount(group: Element, right: number, top: number): Element {
  const badge = document.createElementNS(svgNs, 'g');
  badge.setAttribute('class', 'count');
  badge.setAttribute('transform', `translate(${right} ${top})`);
  const pill = document.createElementNS(svgNs, 'rect');
  pill.setAttribute('y', '-9');
  pill.setAttribute('height', '18');
  pill.setAttribute('rx', '9');
  const text = document.createElementNS(svgNs, 'text');
  text.setAttribute('y', '4');
  text.setAttribute('text-anchor', 'middle');
  badge.append(pill, text);
  group.append(badge);
  return badge;
}

export interface Paint {
  readonly active: ReadonlySet<string>;
  readonly hot: readonly string[];
  readonly trail: Trail | undefined;
  readonly gone: boolean;
}

export function paint({ svg, states, counts, marks }: Drawing, { active, hot, trail, gone }: Paint): void {
  svg.classList.toggle('gone', gone);
  for (const [id, element] of states) element.classList.toggle('on', active.has(id));
  for (const [id, badge] of counts) {
    const times = trail?.states.get(id) ?? 0;
    states.get(id)!.classList.toggle('seen', times > 0);
    badge.classList.toggle('shown', times > 1);
    const said = `×${times}`;
    const [pill, text] = [badge.firstElementChild!, badge.lastElementChild!];
    if (times < 2 || text.textContent === said) continue;
    text.textContent = said;
    const width = 10 + said.length * 7;
    pill.setAttribute('width', String(width));
    pill.setAttribute('x', String(-width + 6));
    text.setAttribute('x', String(-width / 2 + 6));
  }
  for (const { element, edges } of marks) {
    element.classList.toggle(
      'seen',
      edges.some((edge) => trail?.edges.has(edge)),
    );
    element.classList.toggle(
      'hot',
      edges.some((edge) => hot.includes(edge)),
    );
  }
}

/** A light that runs along the lines just taken. Nothing for those who asked for less motion. */
export function pulse({ svg }: Drawing): void {
  if (matchMedia('(prefers-reduced-motion: reduce)').matches) return;
  for (const line of svg.querySelectorAll<SVGPathElement>('.edge.hot > path:not(.tip)')) {
    const length = line.getTotalLength();
    const spark = line.cloneNode() as SVGPathElement;
    spark.setAttribute('class', 'spark');
    spark.setAttribute('stroke-dasharray', `${Math.min(60, length / 2)} ${length + 60}`);
    line.after(spark);
    const run = spark.animate(
      [
        { strokeDashoffset: 60, opacity: 1 },
        { strokeDashoffset: -length, opacity: 1, offset: 0.85 },
        { strokeDashoffset: -length, opacity: 0 },
      ],
      { duration: 600, easing: 'ease-in-out' },
    );
    run.onfinish = () => spark.remove();
    run.oncancel = () => spark.remove();
  }
}
