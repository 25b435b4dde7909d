/** A drawing from outside, such as a bundle somebody sent: numbers become numbers and names become clean text, nothing else passes. */
import type { ChartLayout } from '../../../diagram/geometry.js';
import { drawSvg } from '../../../diagram/svg.js';
import { clean } from './names.js';

const numbers = /^([xywh]|width|height|depth|bundle)$/;
const texts = /^(title|text|hint)$/;

/** Throws for what is no layout at all. */
export function cleanLayout(layout: ChartLayout): ChartLayout {
  return JSON.parse(JSON.stringify(layout), (key, value) => {
    if (numbers.test(key)) return Number(value);
    if (texts.test(key)) return clean(value);
    if (key === 'id') return String(value);
    // Goes into class names.
    if (key === 'kind') return String(value).replace(/[^a-z]/g, '');
    if (key === 'points') return value.map((point: unknown[]) => point.map(Number));
    return value;
  });
}

/** `raw`, cleaned; null when there is none or it cannot be drawn. */
export function drawable(raw: ChartLayout | null): ChartLayout | null {
  try {
    const layout = raw && cleanLayout(raw);
    if (layout !== null) drawSvg(layout);
    return layout;
  } catch {
    return null;
  }
}
