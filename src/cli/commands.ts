/**
 * Every command of `mur`, in the order in which `mur help` lists them. Names and summaries only: a command's module is loaded
 * when the command is named, so this list may grow without making any of them slower to start.
 * Read next: command.ts (what a module exports), program.ts (how a line is parsed).
 */
import type { BetaFeature } from './beta-features.js';
import type { CommandModule } from './command.js';

export interface CommandRow {
  readonly name: string;
  /** One line of `mur help`. */
  readonly summary: string;
  /** Hidden until this feature is enabled, and refused until then. */
  readonly beta?: BetaFeature;
  /** Not listed and not suggested; it works. */
  readonly hidden?: true;
  load(): Promise<CommandModule>;
}

export const commandRows: readonly CommandRow[] = [
  { name: 'run', summary: 'run a capsule from its manifest and print what came of it', load: () => import('./run.js') },
  { name: 'ps', summary: 'list the capsules that run on this machine', load: () => import('./ps.js') },
  { name: 'stop', summary: 'end a session and wait until its process is gone', load: () => import('./stop.js') },
  { name: 'send', summary: 'send a message to a running session', load: () => import('./send.js') },
  { name: 'watch', summary: 'show what a running session does, live', load: () => import('./watch.js') },
  { name: 'cancel', summary: 'cancel one task of a running session', load: () => import('./cancel.js') },
  { name: 'token', summary: 'print a door token of a running session', load: () => import('./token.js') },
  {
    name: 'replay',
    summary: 'go through a recorded session again, event by event',
    load: () => import('./replay.js'),
  },
  { name: 'chart', summary: 'draw a state chart, or a session as it stands', load: () => import('./chart.js') },
  {
    name: 'inspect',
    summary: 'watch sessions in the browser: charts, messages, tools, time travel',
    load: () => import('./inspect.js'),
  },
  {
    name: 'new',
    summary: 'start a project: an agent, a tool, a hook, a driver or a skill',
    load: () => import('./new.js'),
  },
  { name: 'build', summary: 'pack an artifact, compiling its source', load: () => import('./build.js') },
  { name: 'publish', summary: 'publish a built artifact to a registry', load: () => import('./publish.js') },
  { name: 'search', summary: 'look for artifacts in an index', load: () => import('./search.js') },
  {
    name: 'install',
    summary: 'fetch artifacts, store them and pin them in murmur.lock',
    load: () => import('./install.js'),
  },
  { name: 'list', summary: 'list installed artifacts', load: () => import('./list.js') },
  {
    name: 'precompile',
    summary: 'compile artifacts now, so that their first run does not wait',
    load: () => import('./precompile.js'),
  },
  {
    name: 'sandbox',
    summary: 'run any command in the box that commands of a session get',
    load: () => import('./sandbox.js'),
  },
  {
    name: 'doctor',
    summary: 'check this machine, your home and this project, and say what to do',
    load: () => import('./doctor.js'),
  },
  { name: 'schema', summary: 'print the JSON Schema of a file, for editors', load: () => import('./schema.js') },
  { name: 'config', summary: 'read and change the configuration files', load: () => import('./config.js') },
  { name: 'beta', summary: 'list, enable and disable unfinished features', load: () => import('./beta.js') },
  {
    name: 'completion',
    summary: 'print a completion script for bash, zsh or fish',
    load: () => import('./completion.js'),
  },
  {
    name: 'deploy',
    summary: 'run a capsule on a machine elsewhere',
    beta: 'mur-deploy',
    load: () => unbuilt('deploy', 'mur-deploy'),
  },
  {
    name: 'destroy',
    summary: 'end what mur deploy started',
    beta: 'mur-deploy',
    load: () => unbuilt('destroy', 'mur-deploy'),
  },
  {
    name: 'topology',
    summary: 'show who calls whom, from traces',
    beta: 'mur-topology',
    load: () => unbuilt('topology', 'mur-topology'),
  },
];

/** The commands of features that this version knows by name only. */
async function unbuilt(name: string, feature: BetaFeature): Promise<CommandModule> {
  return (await import('./unbuilt.js')).unbuilt(name, feature);
}
