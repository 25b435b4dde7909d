import { type ErrorRow, errorTable, type WarningRow, warningTable } from '../errors/index.js';
import { messages } from './messages.js';
import { generated } from './text.js';

const families: Readonly<Record<string, string>> = {
  'E-MAN': 'Manifest',
  'E-IO': 'Input and output',
  'E-CFG': 'Configuration',
  'E-NEW': 'New projects',
  'E-REG': 'Registries and stores',
  'E-BLD': 'Building',
  'E-CAP': 'Capabilities',
  'E-RUN': 'Running',
  'E-ROS': 'Rosters',
  'E-SUP': 'Supervision',
  'E-CNV': 'Conversations',
  'E-TRC': 'Traces and replays',
  'E-EVAL': 'Evaluation',
  'E-TOP': 'Topology',
  'E-DEPLOY': 'Deployment',
  'W-BLD': 'Warnings of building',
  'W-DEPLOY': 'Warnings of deployment',
  'W-REG': 'Warnings of registries',
  'W-ROS': 'Warnings of rosters',
  'W-RUN': 'Warnings of running',
  'W-SEC': 'Warnings of security',
};

/** The page of every code. The anchor of one is the code in lower case. */
export function errorsPage(): string {
  const rows = Object.entries({ ...errorTable, ...warningTable });
  const sections = Object.entries(families).map(([family, title]) => {
    const own = rows.filter(([code]) => familyOf(code) === family);
    return [`## ${title}`, ...own.map(([code, row]) => entry(code as keyof typeof messages, row))].join('\n\n');
  });
  return [
    generated,
    '# Errors and warnings',
    '',
    'An error is `error[CODE]: message`, with a `hint:` when there is a next action, and ends the command with its exit status. A warning',
    'is `warning[CODE]: message` and changes no exit status. A usage error has no code and exit status 2. `<...>` stands for what is filled in.',
    '',
    ...sections,
  ]
    .join('\n')
    .replaceAll(/\n(?=#)/g, '\n\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .concat('\n');
}

function familyOf(code: string): string {
  return code.slice(0, code.lastIndexOf('-'));
}

function entry(code: keyof typeof messages, row: ErrorRow | WarningRow): string {
  const shapes = messages[code] ?? [];
  const exit = 'exit' in row && row.exit !== undefined ? row.exit : 1;
  const facts = [
    `When ${row.when}.`,
    ...(row.hint === undefined ? [] : [`Hint: ${row.hint}.`]),
    ...(code.startsWith('W') ? [] : [`Exit status ${exit}.`]),
    ...(row.waitsFor === undefined ? [] : [`Not raised yet: it waits for ${row.waitsFor}.`]),
  ];
  const lines = (typeof shapes === 'string' ? [shapes] : shapes).join('\n');
  return [`### ${code}`, facts.join(' ').replaceAll('<', '\\<'), `\`\`\`text\n${lines}\n\`\`\``].join('\n\n');
}
