import { elsewhere, uncovered } from './elsewhere.js';
import type { Entry } from './record.js';
import { classes } from './verdict.js';

export interface Summary {
  readonly stamp: string;
  readonly host: string;
  readonly exitCode: number;
  readonly seconds: number;
  readonly entries: readonly Entry[];
  /** Why there is nothing of a whole user. */
  readonly skipped?: string;
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
  0: 'Nothing got out, and no ceiling gave way: every graded row has the verdict written down for it.',
  2: 'Nothing got out, and no ceiling gave way: every row that could be run has the verdict written down for it. Rows this host cannot run are no evidence.',
  3: 'A boundary did not hold, or real work did not work.',
  4: 'A ceiling did not hold.',
};

/** The report a person reads: what came out, what did not run, every verdict at a glance, and the evidence last. */
export function markdownOf({ stamp, host, exitCode, seconds, entries, skipped }: Summary): string {
  return [
    '# Battery',
    '',
    `**${outcome[exitCode] ?? 'No outcome.'}** Exit ${exitCode}.`,
    '',
    `- ${stamp}, ${Math.round(seconds)} s`,
    `- Host: ${host}`,
    `- ${tally(entries)}`,
    '',
    table(
      ['User', 'Class', 'Player', 'Rows', 'As written', 'Not as written', 'Recorded only', 'Not run here'],
      countsOf(entries).map((each) =>
        [each.user, each.held, each.player, each.rows, each.matched, each.failed, each.recorded, each.refused].map(
          String,
        ),
      ),
    ),
    ...failures(entries),
    ...notRun(entries, skipped),
    ...howToRead,
    ...glance(entries),
    ...classes.flatMap((held) => evidenceOf(entries, held)),
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

function tally(entries: readonly Entry[]): string {
  const [graded, failed] = [
    entries.filter(({ matches }) => matches !== null),
    entries.filter(({ matches }) => matches === false),
  ];
  const ids = new Set(entries.map(({ id }) => id));
  return `${ids.size} rows, ${entries.length} attempts by user, class and player: ${graded.length} graded, ${failed.length} not as written`;
}

function failures(entries: readonly Entry[]): readonly string[] {
  const failed = entries.filter(({ matches }) => matches === false);
  if (failed.length === 0) return [];
  return [
    '',
    '## Not as written',
    '',
    table(
      ['Row', 'User', 'Class', 'Player', 'Expected', 'Verdict', 'Evidence'],
      failed.map((each) => [each.id, each.user, each.held, each.player, each.expected, each.verdict, each.line]),
    ),
  ];
}

/** A row that did not run here is no evidence: said before anything that is. */
function notRun(entries: readonly Entry[], skipped: string | undefined): readonly string[] {
  const refused = [
    ...new Map(
      entries.filter(({ refused: why }) => why !== undefined).map((each) => [`${each.user} ${each.id}`, each]),
    ).values(),
  ];
  const rows = refused.map((each) => [each.id, each.user, each.refused!]);
  if (skipped !== undefined) rows.unshift(['all of them', 'user', skipped]);
  if (rows.length === 0) return [];
  return ['', '## Not run here, and why', '', table(['Row', 'User', 'What this host lacks'], rows)];
}

const howToRead = [
  '',
  '## How to read it',
  '',
  '- A **row** is one thing a command tries. Its verdict was written down before the run, for each class, in `test/battery/cases` and beside it.',
  '- `REFUSED`: the kernel said no, with an error that only the named mechanism gives. `ALLOWED`, `SUCCESS`: it went through; the second is what was promised. `CONTAINED`, `UNCONTAINED`: a ceiling held, or did not. `INCONCLUSIVE`: no usable evidence, which never passes.',
  '- In (parentheses): the class promises nothing, so the verdict is recorded and decides nothing. `unconfined` shows what the attempts do with nothing around them. On a host with Landlock, `advisory` runs what `scoped` runs.',
  '- **Bold**: not as written. Empty: not tried in that class. Two verdicts in one cell: users or players differ.',
  '- The players are the two programs that set a box up: the stub, and Node with koffi where the stub cannot run.',
];

const kinds = [
  ['boundary', 'What must not get out'],
  ['ceiling', 'What must not grow'],
  ['work', 'What has to go on working'],
] as const;

/** One line per row, one column per class, over all users and players. */
function glance(entries: readonly Entry[]): readonly string[] {
  return kinds.flatMap(([kind, title]) => {
    const rows = [...new Map(entries.filter((each) => each.kind === kind).map((each) => [each.id, each])).values()];
    if (rows.length === 0) return [];
    return [
      '',
      `## ${title}`,
      '',
      table(
        ['Row', 'Attempt', ...classes],
        rows.map(({ id, attempt }) => [
          id,
          attempt,
          ...classes.map((held) => cell(entries.filter((each) => each.id === id && each.held === held))),
        ]),
      ),
    ];
  });
}

function cell(entries: readonly Entry[]): string {
  const words = entries.map(({ verdict, matches, refused }) => {
    if (refused !== undefined) return 'not run';
    return matches === null ? `(${verdict})` : matches ? verdict : `**${verdict}**`;
  });
  return [...new Set(words)].join(', ');
}

/** What each attempt came back with. The other player is there where it came back with another verdict. */
function evidenceOf(entries: readonly Entry[], held: string): readonly string[] {
  const own = entries.filter((each) => each.held === held);
  const shown = own.filter((each) => {
    if (each.player === 'stub') return true;
    const other = own.find(({ id, user, player }) => id === each.id && user === each.user && player === 'stub');
    return other?.verdict !== each.verdict;
  });
  if (shown.length === 0) return [];
  return [
    '',
    `## Evidence: ${held}`,
    '',
    table(
      ['Row', 'From', 'User', 'Player', 'Expected', 'Verdict', 'Evidence'],
      shown.map((each) => [each.id, each.from, each.user, each.player, each.expected, each.verdict, each.line]),
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
