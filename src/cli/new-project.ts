/** `mur new` once its flags are understood: writes the project and says how to go on. */
import { relative } from 'node:path';
import { newProject, newRoster, type ProjectKind, projectKinds, type Scaffolded } from '../build/scaffold/index.js';
import { MurError } from '../errors/index.js';
import { locateConfig, readConfig } from '../home/config.js';
import { requireBeta } from './beta-gate.js';
import type { CliContext, ExitStatus } from './context.js';
import type { NewFlags } from './new.js';
import { oneLine } from './safe-text.js';

export async function newFromFlags(flags: NewFlags, context: CliContext): Promise<ExitStatus> {
  const { what, name, roster } = flags;
  if (roster !== undefined) {
    const made = newRoster(roster, '.', settings(context));
    return report(flags, context, { ...made, kind: 'roster' }, rosterSteps(made));
  }
  const kind = projectKinds.find((word) => word === what);
  if (kind === undefined) return fromTask(what ?? '', name, context);
  const made = newProject(kind, name, '.', settings(context));
  return report(flags, context, { ...made, kind }, projectSteps(kind, made));
}

/** One word is a kind that was meant; anything longer is a task, which a later version turns into a capsule. */
async function fromTask(task: string, name: string | undefined, context: CliContext): Promise<ExitStatus> {
  if (/^[\w-]+$/.test(task) || name !== undefined) {
    throw new MurError('E-NEW-002', `'${task}' is no kind of project; expected one of ${projectKinds.join(', ')}`, {
      hint: 'mur new tool my-tool',
    });
  }
  await requireBeta('mur-new', 'mur new "<task>"', context);
  return 1;
}

/** `inference:` of the global file only: a project's file has no say in what new projects ask (spec/cli.md section 4.1). */
function settings({ env }: CliContext) {
  return readConfig({ global: locateConfig(env).global }).inference;
}

function report(
  flags: NewFlags,
  { stdout }: CliContext,
  made: Scaffolded & { readonly kind: ProjectKind | 'roster' },
  steps: readonly string[],
): ExitStatus {
  if (flags.json === true) {
    stdout.write(`${JSON.stringify({ ...made, next: steps })}\n`);
    return 0;
  }
  const folder = shown(made.folder);
  const files = made.files.map((file) => `  ${oneLine(folder === '.' ? file : `${folder}/${file}`)}`);
  stdout.write(
    [`Made the ${made.kind} ${made.name}:`, ...files, '', 'Next:', ...steps.map((s) => `  ${s}`), ''].join('\n'),
  );
  return 0;
}

function projectSteps(kind: ProjectKind, { name, folder }: Scaffolded): string[] {
  const enter = shown(folder) === '.' ? [] : [`cd ${shown(folder)}`];
  if (kind === 'agent') return [...enter, 'read README.md: three commands'];
  if (kind === 'hook') return [...enter, 'mur build'];
  const task = { tool: 'How long is the poem?', driver: 'Is anybody there?', skill: 'How do I leave a note?' }[kind];
  return [...enter, 'mur build', `cd try && mur install ../${name}-0.1.0.mur.zip`, `mur run --task "${task}"`];
}

function rosterSteps({ name, folder }: Scaffolded): string[] {
  const place = shown(folder);
  return [
    'mur config set -g credentials.<NAME of the key> - < key.txt # the name is in the two manifests',
    ...['lead', 'worker'].map((member) => `mur build ${place}/${member}`),
    ...['lead', 'worker'].map((member) => `mur install -g ${place}/${member}/${name}-${member}-0.1.0.mur.zip`),
    `mur run --roster ${place} --task "..." # formations are not in this version yet`,
  ];
}

function shown(folder: string): string {
  return relative('.', folder) || '.';
}
