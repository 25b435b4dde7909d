/**
 * Charts as text for a terminal: nested boxes, states below each other, transitions under the state they leave. For any width: what
 * does not fit is cut, and where a box would leave no room there is none. Not the pictures for documents (svg.ts).
 * Read next: canvas.ts (boxes and lines), chart.ts (what is drawn).
 */
import { box, type Cell, columnsOf, flow, type Line, type Paint, textOf, wrapped } from './canvas.js';
import { type Chart, type ChartEdge, type ChartState, labelOf } from './chart.js';
import { isWithin, joined } from './fold.js';

/** One chart to be drawn. */
export interface Picture {
  readonly chart: Chart;
  /** Ids of the states to show as active. */
  readonly active?: ReadonlySet<string>;
  /** Ids of the transitions to show as just taken. */
  readonly hot?: ReadonlySet<string>;
  /** Said beside the title. */
  readonly note?: string;
  /** Draw whole what is active, and name the rest. */
  readonly isBrief?: boolean;
  /** The picture of an actor that an active state runs, when it has a chart of its own. */
  readonly inside?: (actorId: string) => Picture | undefined;
}

export interface TerminalLook {
  readonly columns: number;
  readonly paint: Paint;
  /** Plain ASCII. */
  readonly isAscii?: boolean;
}

/** The lines of the drawing, none wider than the terminal. */
export function drawChart(picture: Picture, { columns, paint, isAscii = false }: TerminalLook): string[] {
  return new Drawing(picture).machine(Math.max(1, columns)).map((line) => textOf(line, paint, isAscii));
}

const widest = 100;
const leastForProse = 36;

class Drawing {
  readonly #picture: Picture;
  readonly #edges: ReadonlyMap<string, readonly ChartEdge[]>;

  constructor(picture: Picture) {
    this.#picture = picture;
    this.#edges = grouped(picture.chart.edges, ({ from }) => from);
  }

  machine(columns: number): Line[] {
    return this.#box(this.#picture.chart.root, Math.min(widest, columns));
  }

  #state(state: ChartState, columns: number): Line[] {
    return state.states.length > 0 ? this.#box(state, columns) : this.#leaf(state, columns);
  }

  #box(state: ChartState, columns: number): Line[] {
    const { chart, note, isBrief } = this.#picture;
    const isActive = this.#isActive(state);
    const title: Cell[] = [{ text: state.key, paint: isActive ? 'active' : 'title' }];
    if (state.kind === 'parallel') title.push({ text: ' ∥', paint: 'dim' });
    const inner = columns - 4;
    const own = [...this.#about(state, inner, ''), ...this.#runs(state, inner), ...this.#transitions(state, inner)];
    const below =
      isBrief === true ? this.#briefly(state, inner) : state.states.flatMap((child) => this.#state(child, inner));
    return box({
      ...{ columns, title, isActive, lines: [...own, ...below] },
      isDashed: state.kind === 'compound' && this.#isRegion(state),
      ...(state === chart.root && note !== undefined ? { note } : {}),
    });
  }

  #leaf(state: ChartState, columns: number): Line[] {
    const isActive = this.#isActive(state);
    const head: Cell[] = this.#name(state);
    if (state.invokes.length > 0) {
      const runs = state.invokes.map(({ id, src }) => (id === src ? id : `${id} (${src})`)).join(', ');
      head.push({ text: `  runs ${runs}`, paint: 'dim' });
    }
    return [
      head,
      ...this.#about(state, columns, '  '),
      ...this.#transitions(state, columns),
      ...(isActive ? this.#embedded(state, columns) : []),
    ];
  }

  /** Active states whole, the others by name, in one line as far as there is room. */
  #briefly(state: ChartState, columns: number): Line[] {
    const lines: Line[] = [];
    let idle: Line[] = [];
    const settle = (): void => {
      lines.push(...flow(idle, columns));
      idle = [];
    };
    for (const child of state.states) {
      if (this.#isActive(child)) {
        settle();
        lines.push(...this.#state(child, columns));
      } else {
        const count = leavesOf(child);
        const more: Cell[] = child.states.length === 0 ? [] : [{ text: ` (${count} states)`, paint: 'dim' }];
        idle.push([...this.#name(child), ...more]);
      }
    }
    settle();
    return lines;
  }

  #name(state: ChartState): Cell[] {
    const isActive = this.#isActive(state);
    const sign = state.kind === 'final' ? '◎' : state.kind === 'history' ? 'H' : isActive ? '●' : '○';
    const isFaint = this.#picture.isBrief === true && !isActive;
    const paint = isActive ? 'active' : isFaint ? 'dim' : 'title';
    return [
      { text: `${sign} `, paint: isActive ? 'active' : 'dim' },
      { text: state.key, paint },
    ];
  }

  #runs(state: ChartState, columns: number): Line[] {
    if (state.invokes.length === 0) return [];
    const runs = state.invokes.map(({ id }) => id).join(', ');
    return [[{ text: `runs ${runs}`, paint: 'dim' }], ...(this.#isActive(state) ? this.#embedded(state, columns) : [])];
  }

  /** Charts of the actors an active state runs. */
  #embedded(state: ChartState, columns: number): Line[] {
    return state.invokes.flatMap(({ id }) => {
      const picture = this.#picture.inside?.(id);
      return picture === undefined ? [] : new Drawing(picture).machine(columns);
    });
  }

  /** What the state is for; left out where it would take more lines than it explains. */
  #about({ description }: ChartState, columns: number, indent: string): Line[] {
    if (description === undefined || this.#picture.isBrief === true || columns < leastForProse) return [];
    return wrapped(description, columns - indent.length).map((text) => [{ text: `${indent}${text}`, paint: 'dim' }]);
  }

  #transitions(state: ChartState, columns: number): Line[] {
    const edges = this.#edges.get(state.id) ?? [];
    const groups = [...grouped(edges, (edge) => (edge.to.length === 0 ? edge.id : edge.to.join(' '))).values()];
    const indent = state.states.length > 0 ? '' : '  ';
    return groups.flatMap((group, index): Line[] => {
      const isHot = group.some(({ id }) => this.#picture.hot?.has(id) === true);
      const [first] = group as [ChartEdge, ...ChartEdge[]];
      const sign = first.to.length === 0 ? '↻' : index === groups.length - 1 ? '└' : '├';
      const head: Line = [
        { text: `${indent}${sign} `, paint: isHot ? 'hot' : 'dim' },
        ...guarded(joined(group.map(labelOf)), isHot),
      ];
      if (first.to.length === 0) return [[...head, { text: ` · ${first.actions.join(', ')}`, paint: 'dim' }]];
      const target = first.to.map((to) => this.#nameOf(to, state)).join(' + ');
      const tail: Line = [
        { text: '→ ', paint: isHot ? 'hot' : 'dim' },
        { text: target, ...(isHot ? { paint: 'hot' as const } : {}) },
      ];
      const line = [...head, { text: ' ' }, ...tail];
      if (columnsOf(line) <= columns) return [line];
      // Where it goes matters most.
      const bar = sign === '├' ? '│' : ' ';
      return [head, [{ text: `${indent}${bar}   `, paint: 'dim' }, ...tail]];
    });
  }

  /** A state beside it by its key, any other by its place in the machine. */
  #nameOf(id: string, from: ChartState): string {
    if (id === from.id) return 'itself';
    const root = this.#picture.chart.root.id;
    const parent = from.id.slice(0, from.id.lastIndexOf('.'));
    const base = isWithin(id, from.id) ? from.id : isWithin(id, parent) && parent !== '' ? parent : root;
    return id.slice(base.length + 1);
  }

  #isActive({ id }: ChartState): boolean {
    return this.#picture.active?.has(id) === true;
  }

  #isRegion(state: ChartState): boolean {
    const parent = (within: ChartState): boolean =>
      (within.kind === 'parallel' && within.states.includes(state)) || within.states.some(parent);
    return parent(this.#picture.chart.root);
  }
}

/** Conditions dim, so that events stand out. */
function guarded(label: string, isHot: boolean): Cell[] {
  if (isHot) return [{ text: label, paint: 'hot' }];
  return label
    .split(/(\[[^\]]*\])/)
    .filter((part) => part !== '')
    .map((text) => (text.startsWith('[') ? { text, paint: 'dim' as const } : { text }));
}

function leavesOf(state: ChartState): number {
  return state.states.length === 0 ? 1 : state.states.reduce((sum, child) => sum + leavesOf(child), 0);
}

function grouped<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group === undefined) groups.set(keyOf(item), [item]);
    else group.push(item);
  }
  return groups;
}
