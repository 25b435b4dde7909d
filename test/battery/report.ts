import { elsewhere, uncovered } from './elsewhere.js';
import type { Entry } from './record.js';
import { classes } from './verdict.js';

export interface Summary {
  readonly stamp: string;
  readonly host: string;
  readonly exitCode: number;
  readonly seconds: number;
  readonly entries: readonly Entry[];
}

/** How many of each, per user, class and player. */
export function countsOf(entries: readonly Entry[]): readonly (Pick<Entry, 'user' | 'held' | 'player'> & Counts)[] {
  const groups = new Map<string, Entry[]>();
  for (const entry of entries) {
    const key = `${entry.user} ${entry.held} ${entry.player}`;
    groups.set(key, [...(groups.get(key) ?? []), entry]);
  }
  return [...groups.values()].map((group) => {
    const { user, held, player } = group[0]!;
    const count = (test: (entry: Entry) => boolean) => group.filter(test).length;
    return {
      ...{ user, held, player, rows: group.length },
      matched: count(({ matches }) => matches === true),
      failed: count(({ matches }) => matches === false),
      recorded: count(({ matches, refused }) => matches === null && refused === undefined),
      refused: count(({ refused }) => refused !== undefined),
    };
  });
}

export interface Counts {
  readonly rows: number;
  readonly matched: number;
  readonly failed: number;
  readonly recorded: number;
  readonly refused: number;
}

const outcome: Readonly<Record<number, string>> = {
  0: 'Every graded row has the verdict written down for it.',
  2: 'Every row that could be run has the verdict written down for it. Rows this host cannot run are no evidence.',
  3: 'A boundary did not hold, or real work did not work.',
  4: 'A ceiling did not hold.',
};

/** The report a person reads. */
export function markdownOf({ stamp, host, exitCode, seconds, entries }: Summary): string {
  const failed = entries.filter(({ matches }) => matches === false);
  const refused = [
    ...new Map(
      entries.filter(({ refused: why }) => why !== undefined).map((each) => [`${each.user} ${each.id}`, each]),
    ).values(),
  ];
  return [
    '# Battery',
    '',
    `${outcome[exitCode] ?? ''} Exit ${exitCode}. ${stamp}. ${host}. ${Math.round(seconds)} s.`,
    '',
    table(
      ['User', 'Class', 'Player', 'Rows', 'As written', 'Not as written', 'Recorded only', 'Not run here'],
      countsOf(entries).map((each) =>
        [each.user, each.held, each.player, each.rows, each.matched, each.failed, each.recorded, each.refused].map(
          String,
        ),
      ),
    ),
    ...(failed.length === 0
      ? []
      : [
          '',
          '## Not as written',
          '',
          table(
            ['Row', 'User', 'Class', 'Player', 'Expected', 'Verdict', 'Evidence'],
            failed.map((each) => [each.id, each.user, each.held, each.player, each.expected, each.verdict, each.line]),
          ),
        ]),
    ...(refused.length === 0
      ? []
      : [
          '',
          '## Not run here',
          '',
          table(
            ['Row', 'User', 'What this host lacks'],
            refused.map((each) => [each.id, each.user, each.refused!]),
          ),
        ]),
    ...classes.flatMap((held) =>
      rowsOf(
        entries.filter((each) => each.held === held && each.player === 'stub'),
        held,
      ),
    ),
    ...notesOf(entries),
    '',
    '## Shown elsewhere',
    '',
    table(['What', 'Test'], Object.entries(elsewhere)),
    '',
    '## Not shown',
    '',
    table(['What', 'Why'], Object.entries(uncovered)),
    '',
  ].join('\n');
}

function rowsOf(entries: readonly Entry[], held: string): readonly string[] {
  if (entries.length === 0) return [];
  return [
    '',
    `## ${held}, played by the stub`,
    '',
    table(
      ['Row', 'From', 'Attempt', 'User', 'Expected', 'Verdict', 'Evidence'],
      entries.map((each) => [each.id, each.from, each.attempt, each.user, each.expected, each.verdict, each.line]),
    ),
  ];
}

function notesOf(entries: readonly Entry[]): readonly string[] {
  const notes = [...new Map(entries.filter(({ note }) => note !== undefined).map(({ id, note }) => [id, note!]))];
  return notes.length === 0
    ? []
    : ['', '## Where a row differs from the checklist, or proves less than it seems', '', table(['Row', 'Why'], notes)];
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replace(/\s+/g, ' ')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
