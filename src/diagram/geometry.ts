/**
 * A chart with every size and position worked out: what `npm run diagrams` stores as `<machine>.layout.json` and `renderSvg` draws.
 * Pixels, whole numbers, from the top left corner of the drawing.
 */
export interface ChartLayout {
  readonly version: 1;
  readonly id: string;
  readonly width: number;
  readonly height: number;
  /** Outer states before the states inside them. */
  readonly nodes: readonly NodeBox[];
  readonly edges: readonly EdgeLine[];
}

export interface Box {
  readonly x: number;
  readonly y: number;
  readonly w: number;
  readonly h: number;
}

export interface NodeBox extends Box {
  /** Id of the state; `<state>#initial` for the dot that points at the first state. */
  readonly id: string;
  /** A region is a child of a parallel state. */
  readonly kind: 'atomic' | 'compound' | 'parallel' | 'region' | 'final' | 'history' | 'initial';
  /** How many states it lies in. */
  readonly depth: number;
  readonly title: string;
  readonly hint?: string;
  readonly rows: readonly Row[];
}

export interface Row {
  /**
   * `on`: a transition that stays. `leave`: transitions to a state far away, drawn as one line for several states.
   * `global`: a transition of the machine itself, possible in every state.
   */
  readonly kind: 'invoke' | 'entry' | 'exit' | 'on' | 'leave' | 'global';
  readonly text: string;
  /** Ids of the transitions it stands for. */
  readonly edges: readonly string[];
  readonly hint?: string;
}

/** All transitions between two states, as one line. */
export interface EdgeLine {
  readonly from: string;
  readonly to: string;
  /** Corners, the ends included. */
  readonly points: readonly (readonly [x: number, y: number])[];
  readonly labels: readonly EdgeLabel[];
}

export interface EdgeLabel extends Box, Label {}

export interface Label {
  readonly text: string;
  /** Ids of the transitions it stands for. */
  readonly edges: readonly string[];
  /** It stands for the `leave` rows of that many states. */
  readonly bundle?: number;
  readonly hint?: string;
}

/** Sizes that layout and drawing have to agree on. */
export const metrics = {
  titleSize: 13,
  rowSize: 11,
  rowHeight: 17,
  labelSize: 11,
  labelHeight: 18,
  labelPadding: 8,
  /** From the border of a state to its text. */
  padX: 14,
  /** From the top of a state to the baseline of its title. */
  titleBaseline: 22,
  headerHeight: 32,
  dot: 10,
  history: 26,
  margin: 12,
} as const;
