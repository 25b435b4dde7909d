import { MurError } from '../errors/index.js';
import type { EventLogHeader } from './log.js';
import type { ChartHashes } from './machines.js';

/** Ids of the charts that ran and are not what they were when the log was written. Charts that did not run do not matter. */
export function changedCharts(header: EventLogHeader, ran: Iterable<string>, today: ChartHashes): string[] {
  if (header.chart === today.chart) return [];
  return [...ran].filter((id) => header.charts?.[id] === undefined || header.charts[id] !== today.charts[id]);
}

/** The refusal to fold such a log. */
export function chartsChanged(ids: readonly string[], header: EventLogHeader, name: string): MurError {
  const which = ids.map((id) => `'${id}'`).join(', ');
  const what = ids.length > 1 ? 'other charts' : 'another chart';
  const by = header.mur ?? 'of an unknown version';
  return new MurError('E-TRC-902', `${name} was recorded with ${what} ${which} than this build has, by mur ${by}`);
}
