import type { SandboxExplanation } from '../sandbox/index.js';
import { oneLine } from './safe-text.js';
import type { Style } from './style.js';

/** What a box gives, for people. */
export function explanationText(told: SandboxExplanation, style: Style): string {
  const { scope } = told;
  const blocks: readonly (readonly [title: string, lines: readonly string[]])[] = [
    ['Command', told.command === null ? [] : [commandLine(told.command)]],
    [
      'Box',
      [
        row('made of', told.manifest ?? 'the flags'),
        row('class', `${scope.achieved_containment} (asked for: ${scope.declared_containment})`),
        row('mechanism', scope.enforcement_tier),
      ],
    ],
    [
      'What is held',
      told.held.map(
        ({ what, strength, detail }) => `  ${what.padEnd(width)} ${mark(strength, style)} ${oneLine(detail)}`,
      ),
    ],
    ['Folders', told.folders.map(({ path, access, what }) => row(access, `${path} (${what})`))],
    ['Folders of programs, to be read', told.reads.map((path) => `  ${oneLine(path)}`)],
    ['Programs', programLines(told)],
    [
      'Network',
      [
        row('hosts', told.network.allow.length === 0 ? 'none' : told.network.allow.join(', ')),
        row('unix sockets', told.network.unix_sockets ? 'yes' : 'no'),
      ],
    ],
    [
      'Environment',
      [
        row('of yours', told.environment.passed.join(' ')),
        ...Object.entries(told.environment.set).map(([name, value]) => row('set', `${name}=${value}`)),
      ],
    ],
    ['Limits', Object.entries(told.limits).map(([name, value]) => row(name, amount(name, value)))],
  ];
  const texts = blocks
    .filter(([, lines]) => lines.length > 0)
    .map(([title, lines]) => [style.bold(title), ...lines].join('\n'));
  const refused = scope.floor_met
    ? []
    : [style.yellow(`mur sandbox would refuse here (E-CAP-003): ${oneLine(scope.shortfall_reason ?? '')}`)];
  return `${[...texts, ...refused].join('\n\n')}\n`;
}

const width = 20;

function row(name: string, value: string): string {
  return `  ${oneLine(name).padEnd(width)} ${oneLine(value)}`;
}

function commandLine({ name, path, refused }: NonNullable<SandboxExplanation['command']>): string {
  if (refused !== null) return row(name, `refused (E-CAP-903): ${refused}`);
  return row(name, path ?? 'there is no such program on PATH (E-CAP-904)');
}

/** Programs that start on one line; what does not, by itself. */
function programLines({ programs }: SandboxExplanation): readonly string[] {
  const starts = programs.filter(({ path, missing }) => path !== null && missing.length === 0);
  const others = programs.filter((program) => !starts.includes(program));
  return [
    ...(starts.length === 0 ? [] : [`  ${starts.map(({ name }) => oneLine(name)).join(' ')}`]),
    ...others.map(({ name, path, missing }) =>
      row(name, path === null ? 'not on PATH' : `does not start: ${missing.join(', ')} is not allowed`),
    ),
  ];
}

function mark(strength: 'full' | 'partial' | 'none', style: Style): string {
  const word = strength.padEnd(8);
  return strength === 'full' ? style.green(word) : style.yellow(word);
}

const units: readonly (readonly [number, string])[] = [
  [1024 ** 3, 'GiB'],
  [1024 ** 2, 'MiB'],
  [1024, 'KiB'],
];

function amount(name: string, value: number): string {
  if (!/bytes/.test(name)) return String(value);
  const [size, unit] = units.find(([each]) => value >= each && value % each === 0) ?? [1, 'bytes'];
  return `${value / size} ${unit}${name.endsWith('_per_sec') ? ' per second' : ''}`;
}
