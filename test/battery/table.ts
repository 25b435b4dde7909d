/** Every row of the battery. There is no list of rows to leave out, and no switch that makes one. */
import type { Case } from './case.js';
import { callCases } from './cases/calls.js';
import { ceilingCases } from './cases/ceilings.js';
import { fileCases } from './cases/files.js';
import { exfiltration, networkCases } from './cases/network.js';
import { controlRows } from './controls.js';
import { killRows } from './kill.js';
import { limitRows } from './limits.js';
import { workRows } from './work.js';

export const permanentId = 'exec-renamed-disallowed-binary';

/** Rows that are attempts of one interpreter. */
export const batteryCases: readonly Case[] = [...fileCases, ...callCases, ...networkCases, ...ceilingCases];

/** Ids of everything a full run grades. */
export const allIds: readonly string[] = [
  ...batteryCases.map(({ id }) => id),
  ...exfiltration.map(({ id }) => id),
  ...[controlRows, workRows, limitRows, killRows].flatMap((rows) => Object.values(rows).map(({ id }) => id)),
];
