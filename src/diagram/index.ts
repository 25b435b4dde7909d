/**
 * Drawing state charts: what the running program needs. Not the placing of charts (layout.ts, development only): layouts are made
 * by `npm run diagrams` and read from diagrams/.
 * Read next: chart.ts (machine to data), svg.ts (layout to picture).
 */

export type { Paint } from './canvas.js';
export {
  activeIds,
  type Cause,
  type Chart,
  type ChartEdge,
  type ChartState,
  chartOf,
  edgeId,
  labelOf,
  type StateKind,
} from './chart.js';
export type { Box, ChartLayout, EdgeLabel, EdgeLine, Label, NodeBox, Row } from './geometry.js';
export { mermaidOf } from './mermaid.js';
export { type Highlight, renderSvg } from './svg.js';
export { drawChart, type Picture, type TerminalLook } from './terminal.js';
